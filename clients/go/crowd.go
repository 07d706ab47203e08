package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"sync"
	"sync/atomic"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// crowd is the namespace with the objects that every server begins with; clients/crowd/fill tells what they are like.
const crowd = "crowd"

// seen is which of the objects of a resource arrived, and what was wrong with those that did. Handlers of an informer
// fill it.
type seen struct {
	sync.Mutex
	numbers map[string]bool
	wrong   []error
	size    int
}

// newSeen is one for as many objects as a variable of the environment says.
func newSeen(variable string) (*seen, error) {
	size, err := strconv.Atoi(os.Getenv(variable))
	return &seen{numbers: map[string]bool{}, size: size}, err
}

// note notes an object by its number: each may arrive once, and as it was made.
func (s *seen) note(number string, object any, asMade bool) {
	s.Lock()
	defer s.Unlock()
	place, err := strconv.Atoi(number)
	switch {
	case err != nil || place < 0 || place >= s.size:
		s.wrong = append(s.wrong, fmt.Errorf("%q is the number of none", number))
	case s.numbers[number]:
		s.wrong = append(s.wrong, fmt.Errorf("%s arrived twice", number))
	case !asMade:
		s.wrong = append(s.wrong, fmt.Errorf("%s is not as it was made: %v", number, object))
	}
	s.numbers[number] = true
}

// add notes a pod.
func (s *seen) add(pod *corev1.Pod) {
	number := pod.Labels["number"]
	s.note(number, pod, pod.Name == "web-7d4b9c6f5d-"+number && pod.UID != "" && len(pod.Spec.Containers) == 1 &&
		pod.Spec.Containers[0].Image == "registry.example.com/shop/web:1.27."+number)
}

// all fails unless every object arrived, once and as it was made.
func (s *seen) all() error {
	s.Lock()
	defer s.Unlock()
	if len(s.wrong) > 0 {
		return fmt.Errorf("%d objects are wrong: %w", len(s.wrong), s.wrong[0])
	}
	return expect("objects", len(s.numbers), s.size)
}

// inJSON is a client of client-go's defaults.
func (c *clients) inJSON() (kubernetes.Interface, error) {
	return kubernetes.NewForConfig(c.config)
}

// crowdListed lists all pods at once, as programs do that ask for no pages, and from what the server has in memory.
func crowdListed(ctx context.Context, c *clients) error {
	inJSON, err := c.inJSON()
	if err != nil {
		return err
	}
	for form, client := range map[string]kubernetes.Interface{"JSON": inJSON, "protobuf": c.typed} {
		for _, version := range []string{"", "0"} {
			list, err := client.CoreV1().Pods(crowd).List(ctx, metav1.ListOptions{ResourceVersion: version})
			if err != nil {
				return fmt.Errorf("in %s: %w", form, err)
			}
			seen, err := newSeen("RHUMB_CROWD")
			if err != nil {
				return err
			}
			for i := range list.Items {
				seen.add(&list.Items[i])
			}
			err = errors.Join(seen.all(), expect("items", len(list.Items), seen.size))
			if err != nil {
				return fmt.Errorf("in %s at %q: %w", form, version, err)
			}
		}
	}
	return nil
}

// listing is a source of pods for an informer that counts how it is asked.
type listing struct {
	cache.ListWatch
	// streams says whether the informer may take its first list as a stream.
	streams          bool
	lists, watchings atomic.Int32
	streamed         atomic.Int32
}

// IsWatchListSemanticsUnSupported is how client-go asks a source whether it has streaming lists.
func (l *listing) IsWatchListSemanticsUnSupported() bool { return !l.streams }

func newListing(client kubernetes.Interface, streams bool) *listing {
	source := &listing{streams: streams}
	pods := client.CoreV1().Pods(crowd)
	source.ListWithContextFunc = func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		source.lists.Add(1)
		return pods.List(ctx, options)
	}
	source.WatchFuncWithContext = func(ctx context.Context, options metav1.ListOptions) (watch.Interface, error) {
		source.watchings.Add(1)
		if options.SendInitialEvents != nil && *options.SendInitialEvents {
			source.streamed.Add(1)
		}
		return pods.Watch(ctx, options)
	}
	return source
}

// informed has an informer follow the pods: handlers hear of each once, its store has them all, and one that changes
// is heard of once more.
func informed(ctx context.Context, client kubernetes.Interface, streams bool) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	source := newListing(client, streams)
	informer := cache.NewSharedIndexInformer(source, &corev1.Pod{}, 0, cache.Indexers{})
	heard, err := newSeen("RHUMB_CROWD")
	if err != nil {
		return err
	}
	changes := make(chan *corev1.Pod, 16)
	handling, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(pod any) { heard.add(pod.(*corev1.Pod)) },
		UpdateFunc: func(_, pod any) { changes <- pod.(*corev1.Pod) },
		DeleteFunc: func(pod any) { changes <- &corev1.Pod{} },
	})
	if err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), handling.HasSynced) {
		return fmt.Errorf("never synchronised: %w", ctx.Err())
	}
	stored, err := newSeen("RHUMB_CROWD")
	if err != nil {
		return err
	}
	for _, pod := range informer.GetStore().List() {
		stored.add(pod.(*corev1.Pod))
	}
	if err := errors.Join(heard.all(), stored.all()); err != nil {
		return err
	}

	name := fmt.Sprintf("web-7d4b9c6f5d-%06d", heard.size/2)
	patch := fmt.Appendf(nil, `{"metadata": {"annotations": {"seen": "%p"}}}`, source)
	pods := client.CoreV1().Pods(crowd)
	changed, err := pods.Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	select {
	case pod := <-changes:
		err = expect("version of the changed pod", pod.ResourceVersion, changed.ResourceVersion)
	case <-ctx.Done():
		err = errors.New("the change was never heard of")
	}
	streamed, lists := int32(0), int32(1)
	if streams {
		streamed, lists = 1, 0
	}
	return errors.Join(
		err,
		expect("other changes", len(changes), 0),
		expect("lists that came as a stream", source.streamed.Load(), streamed),
		expect("lists", source.lists.Load(), lists),
	)
}

// crowdInformed follows the pods with informers that list first.
func crowdInformed(ctx context.Context, c *clients) error { return inBothForms(ctx, c, false) }

// crowdStreamed follows the pods with informers that take the first list as a stream, as they do by default.
func crowdStreamed(ctx context.Context, c *clients) error { return inBothForms(ctx, c, true) }

func inBothForms(ctx context.Context, c *clients, streams bool) error {
	inJSON, err := c.inJSON()
	if err != nil {
		return err
	}
	if err := informed(ctx, inJSON, streams); err != nil {
		return fmt.Errorf("in JSON: %w", err)
	}
	if err := informed(ctx, c.typed, streams); err != nil {
		return fmt.Errorf("in protobuf: %w", err)
	}
	return nil
}
