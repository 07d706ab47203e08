package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
)

var (
	buoyResource = schema.GroupVersionResource{Group: "harbour.example.com", Version: "v1", Resource: "buoys"}
	podResource  = schema.GroupVersionResource{Version: "v1", Resource: "pods"}
)

// crowdOf is the resources with thousands of objects: what tells how many, what their names begin with, and the image
// that each names, up to its number.
var crowdOf = map[schema.GroupVersionResource]struct {
	variable, name, image string
	path                  []string
}{
	podResource: {
		"RHUMB_CROWD", "web-7d4b9c6f5d-", "registry.example.com/shop/web:1.27.", nil,
	},
	buoyResource: {
		"RHUMB_BUOYS", "buoy-", "registry.example.com/harbour/chart:1.27.", []string{"spec", "chart", "image"},
	},
}

// answers notes the forms that the answers of a client came in.
type answers struct {
	sync.Mutex
	rest  http.RoundTripper
	types map[string]int
	// packed is how many were compressed, which Go's client undoes before anybody sees it.
	packed int
}

// noted is a configuration whose answers are noted.
func noted(config *rest.Config) (*rest.Config, *answers) {
	config, noting := rest.CopyConfig(config), &answers{types: map[string]int{}}
	config.Wrap(func(rest http.RoundTripper) http.RoundTripper {
		noting.rest = rest
		return noting
	})
	return config, noting
}

func (a *answers) RoundTrip(request *http.Request) (*http.Response, error) {
	response, err := a.rest.RoundTrip(request)
	if err == nil {
		a.Lock()
		defer a.Unlock()
		mediaType, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
		a.types[mediaType]++
		if response.Uncompressed {
			a.packed++
		}
	}
	return response, err
}

// came fails unless there were answers of this type alone, and compressed ones among them.
func (a *answers) came(mediaType string) error {
	a.Lock()
	defer a.Unlock()
	if a.types[mediaType] == 0 || len(a.types) != 1 {
		return fmt.Errorf("answers came as %v, not as %s", a.types, mediaType)
	}
	return expect("whether large answers were compressed", a.packed > 0, true)
}

// addUnstructured notes an object of the dynamic client.
func (s *seen) addUnstructured(resource schema.GroupVersionResource, object *unstructured.Unstructured) {
	crowd := crowdOf[resource]
	image, _, err := unstructured.NestedString(object.Object, crowd.path...)
	number := object.GetLabels()["number"]
	s.note(number, object, err == nil && image == crowd.image+number && object.GetName() == crowd.name+number)
}

// addMetadata notes an object of the metadata client.
func (s *seen) addMetadata(resource schema.GroupVersionResource, object *metav1.PartialObjectMetadata) {
	number := object.Labels["number"]
	s.note(number, object, object.Name == crowdOf[resource].name+number && object.UID != "")
}

// options are the ways in which whole lists are asked for: the newest, what the server has in memory, and in pages.
var options = []metav1.ListOptions{{}, {ResourceVersion: "0"}, {Limit: 500}}

// dynamicCrowd reads custom resources with the dynamic client, which speaks JSON: lists, and informers.
func dynamicCrowd(ctx context.Context, c *clients) error {
	config, noting := noted(c.config)
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	for _, options := range options {
		seen, err := newSeen(crowdOf[buoyResource].variable)
		if err != nil {
			return err
		}
		for {
			list, err := client.Resource(buoyResource).Namespace(crowd).List(ctx, options)
			if err != nil {
				return err
			}
			for i := range list.Items {
				seen.addUnstructured(buoyResource, &list.Items[i])
			}
			if options.Continue = list.GetContinue(); options.Continue == "" {
				break
			}
		}
		if err := seen.all(); err != nil {
			return fmt.Errorf("%v: %w", options, err)
		}
	}
	informer := dynamicinformer.NewFilteredDynamicInformer(client, buoyResource, crowd, 0, cache.Indexers{}, nil)
	heard := func(seen *seen, object any) {
		seen.addUnstructured(buoyResource, object.(*unstructured.Unstructured))
	}
	if err := informedOf(ctx, buoyResource, informer.Informer(), heard); err != nil {
		return err
	}
	return noting.came("application/json")
}

// metadataCrowd reads the metadata of pods and of custom resources, which come in protobuf: lists, and informers.
func metadataCrowd(ctx context.Context, c *clients) error {
	config, noting := noted(c.config)
	client, err := metadata.NewForConfig(config)
	if err != nil {
		return err
	}
	for resource, about := range crowdOf {
		for _, options := range options {
			seen, err := newSeen(about.variable)
			if err != nil {
				return err
			}
			for {
				list, err := client.Resource(resource).Namespace(crowd).List(ctx, options)
				if err != nil {
					return fmt.Errorf("%s: %w", resource.Resource, err)
				}
				for i := range list.Items {
					seen.addMetadata(resource, &list.Items[i])
				}
				if options.Continue = list.GetContinue(); options.Continue == "" {
					break
				}
			}
			if err := seen.all(); err != nil {
				return fmt.Errorf("%s, %v: %w", resource.Resource, options, err)
			}
		}
		informer := metadatainformer.NewFilteredMetadataInformer(client, resource, crowd, 0, cache.Indexers{}, nil)
		heard := func(seen *seen, object any) {
			seen.addMetadata(resource, object.(*metav1.PartialObjectMetadata))
		}
		if err := informedOf(ctx, resource, informer.Informer(), heard); err != nil {
			return fmt.Errorf("%s: %w", resource.Resource, err)
		}
	}
	return noting.came("application/vnd.kubernetes.protobuf")
}

// informedOf has an informer follow a resource: handlers hear of each object once, and its store has them all.
func informedOf(
	ctx context.Context,
	resource schema.GroupVersionResource,
	informer cache.SharedIndexInformer,
	note func(*seen, any),
) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	heard, err := newSeen(crowdOf[resource].variable)
	if err != nil {
		return err
	}
	stored, err := newSeen(crowdOf[resource].variable)
	if err != nil {
		return err
	}
	handling, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(object any) { note(heard, object) },
	})
	if err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), handling.HasSynced) {
		return fmt.Errorf("never synchronised: %w", ctx.Err())
	}
	for _, object := range informer.GetStore().List() {
		note(stored, object)
	}
	return errors.Join(heard.all(), stored.all())
}
