// The side of client-go in `cargo xtask bench client`: does what it is told, a word a line, and answers with a line.
//
// It is the default of everything: the informer factory and the typed clientset, and Go's own garbage collection.
package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

const (
	// namespace is where the pods are.
	namespace = "bench"
	// label is the label that changes.
	label = "round"
)

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	config.DisableCompression = true
	// Typed clients speak protobuf where nothing else is said.
	config.ContentType = runtime.ContentTypeJSON
	if len(os.Args) > 1 && os.Args[1] == "protobuf" {
		config.ContentType = runtime.ContentTypeProtobuf
	}
	config.AcceptContentTypes = config.ContentType
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	pods := factory.Core().V1().Pods()
	informer := pods.Informer()
	var list *corev1.PodList
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		words := append(strings.Fields(lines.Text()), "", "", "")
		count := 0
		switch words[0] {
		case "list":
			list, err = client.CoreV1().Pods("").List(ctx, metav1.ListOptions{})
			if err != nil {
				return err
			}
			count = len(list.Items)
		case "drop":
			list = nil
		case "follow":
			factory.Start(ctx.Done())
			if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
				return fmt.Errorf("not synced")
			}
			count = len(informer.GetStore().ListKeys())
		case "await":
			for count == 0 {
				pod, err := pods.Lister().Pods(namespace).Get(words[1])
				if err == nil && pod.Labels[label] == words[2] {
					count = 1
				} else {
					time.Sleep(5 * time.Millisecond)
				}
			}
		case "count":
			selected, err := pods.Lister().List(labels.SelectorFromSet(labels.Set{label: words[1]}))
			if err != nil {
				return err
			}
			count = len(selected)
		default:
			return fmt.Errorf("what is %q?", lines.Text())
		}
		fmt.Println(count)
	}
	return lines.Err()
}
