// Measures Kubernetes' own Go code on the objects that `cargo xtask bench codec` measures Rhumb on. It prints one line
// a measurement: the name, a tab, and the nanoseconds of one call, best of several rounds.
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	appsv1beta1 "k8s.io/api/apps/v1beta1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install"
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

const (
	rounds = 12
	round  = 60 * time.Millisecond
)

func measure(name string, call func()) {
	start := time.Now()
	call()
	once := max(time.Since(start), 20*time.Nanosecond)
	calls := min(max(int(round/once), 1), 3_000_000)
	best := 1e18
	for range rounds {
		start := time.Now()
		for range calls {
			call()
		}
		best = min(best, float64(time.Since(start).Nanoseconds())/float64(calls))
	}
	fmt.Printf("%s\t%.0f\n", name, best)
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	folder := os.Args[1]
	read := func(name string) []byte { return must(os.ReadFile(filepath.Join(folder, name))) }
	scheme := runtime.NewScheme()
	must(0, corev1.AddToScheme(scheme))
	must(0, appsv1beta1.AddToScheme(scheme))
	type encoder struct {
		how        string
		serializer runtime.Encoder
	}
	inJSON := func(options json.SerializerOptions) runtime.Serializer {
		return json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme, scheme, options)
	}
	compact, inYAML := inJSON(json.SerializerOptions{}), inJSON(json.SerializerOptions{Yaml: true})
	pretty, inProtobuf := inJSON(json.SerializerOptions{Pretty: true}), protobuf.NewSerializer(scheme, scheme)
	formats := []struct {
		name, file string
		decoder    runtime.Decoder
		encoders   []encoder
	}{
		// The file is indented, as people read it.
		{"JSON", "core.v1.Pod.json", compact, []encoder{{", as the file", pretty}, {", compact", compact}}},
		{"YAML", "core.v1.Pod.yaml", inYAML, []encoder{{"", inYAML}}},
		{"protobuf", "core.v1.Pod.pb", inProtobuf, []encoder{{"", inProtobuf}}},
	}
	for _, format := range formats {
		data := read(format.file)
		object, _, err := format.decoder.Decode(data, nil, nil)
		must(0, err)
		measure("Pod "+format.name+" decode", func() {
			_, _, err := format.decoder.Decode(data, nil, nil)
			must(0, err)
		})
		var out bytes.Buffer
		for _, encoder := range format.encoders {
			measure("Pod "+format.name+" encode"+encoder.how, func() {
				out.Reset()
				must(0, encoder.serializer.Encode(object, &out))
			})
		}
	}
	pod, _, err := compact.Decode(read("core.v1.Pod.json"), nil, nil)
	must(0, err)
	measure("Pod deep copy", func() { pod.DeepCopyObject() })
	// The scheme that kube-apiserver has, with the internal versions.
	hub := legacyscheme.Scheme
	convert := func(object runtime.Object, to runtime.GroupVersioner) runtime.Object {
		return must(hub.ConvertToVersion(object, to))
	}
	throughHub := func(object runtime.Object, to runtime.GroupVersioner) {
		convert(convert(object, runtime.InternalGroupVersioner), to)
	}
	measure("Pod v1 → internal → v1", func() { throughHub(pod, corev1.SchemeGroupVersion) })
	old := must(hub.New(appsv1beta1.SchemeGroupVersion.WithKind("Deployment")))
	old, _, err = compact.Decode(read("apps.v1beta1.Deployment.json"), nil, old)
	must(0, err)
	measure("Deployment apps/v1beta1 → v1", func() { throughHub(old, appsv1.SchemeGroupVersion) })
	kind := corev1.SchemeGroupVersion.WithKind("Pod")
	measure("new object by kind", func() { must(scheme.New(kind)) })
	measure("kinds of an object", func() {
		_, _, err := scheme.ObjectKinds(pod)
		must(0, err)
	})
}
