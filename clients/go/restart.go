package main

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// informersOverARestart has a store follow config maps and another follow courses. Both must know what was written
// after the server was killed, and must not have lost what was written before.
func informersOverARestart(ctx context.Context, c *clients) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	builtin := informers.NewSharedInformerFactoryWithOptions(c.typed, 0, informers.WithNamespace(namespace))
	custom := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, namespace, nil)
	stores := map[string]cache.SharedIndexInformer{
		"config maps": builtin.Core().V1().ConfigMaps().Informer(),
		"courses":     custom.ForResource(courseResource).Informer(),
	}
	builtin.Start(ctx.Done())
	custom.Start(ctx.Done())

	for _, name := range []string{"before", "after"} {
		if name == "after" {
			if err := restart(ctx); err != nil {
				return err
			}
		}
		if _, err := c.configMaps().Create(ctx, configMap(name, nil), metav1.CreateOptions{}); err != nil {
			return err
		}
		if _, err := c.courses().Create(ctx, course(name, 0), metav1.CreateOptions{}); err != nil {
			return err
		}
		for kind, informer := range stores {
			err := until(ctx, fmt.Sprintf("the informer of %s knows %q", kind, name), func() (bool, error) {
				_, known, err := informer.GetStore().GetByKey(namespace + "/" + name)
				return known, err
			})
			if err != nil {
				return err
			}
		}
	}
	for kind, informer := range stores {
		if _, known, _ := informer.GetStore().GetByKey(namespace + "/before"); !known {
			return fmt.Errorf("the informer of %s forgot what was there before the restart", kind)
		}
	}
	return nil
}

// controllerOverARestart runs a controller that keeps a config map for each course and says so in its status.
func controllerOverARestart(ctx context.Context, c *clients) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	ctrl.SetLogger(logr.Discard())
	manager, err := ctrl.NewManager(c.config, ctrl.Options{Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	kind := &unstructured.Unstructured{}
	kind.SetGroupVersionKind(courseKind)
	pilot := &pilot{Client: manager.GetClient()}
	err = ctrl.NewControllerManagedBy(manager).Named("pilot").For(kind).Owns(&corev1.ConfigMap{}).Complete(pilot)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- manager.Start(ctx) }()

	for _, name := range []string{"piloted-before", "piloted-after"} {
		if name == "piloted-after" {
			if err := restart(ctx); err != nil {
				return err
			}
		}
		if _, err := c.courses().Create(ctx, course(name, 45), metav1.CreateOptions{}); err != nil {
			return err
		}
		err := until(ctx, fmt.Sprintf("%q is held", name), func() (bool, error) {
			got, err := c.courses().Get(ctx, name, metav1.GetOptions{})
			if err != nil {
				return false, err
			}
			held, _, err := unstructured.NestedBool(got.Object, "status", "held")
			return held, err
		})
		if err != nil {
			return err
		}
	}
	// What the controller owns it makes again when somebody takes it away.
	if err := c.configMaps().Delete(ctx, "piloted-before", metav1.DeleteOptions{}); err != nil {
		return err
	}
	err = until(ctx, "the config map is there again", func() (bool, error) {
		_, err := c.configMaps().Get(ctx, "piloted-before", metav1.GetOptions{})
		return err == nil, client.IgnoreNotFound(err)
	})
	if err != nil {
		return err
	}
	cancel()
	return <-ended
}

// pilot is the controller.
type pilot struct {
	client.Client
}

func (p *pilot) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	course := &unstructured.Unstructured{}
	course.SetGroupVersionKind(courseKind)
	if err := p.Get(ctx, request.NamespacedName, course); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	owned := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: request.Name, Namespace: request.Namespace}}
	bearing, _, _ := unstructured.NestedInt64(course.Object, "spec", "bearing")
	_, err := controllerutil.CreateOrUpdate(ctx, p.Client, owned, func() error {
		owned.Data = map[string]string{"bearing": fmt.Sprint(bearing)}
		return controllerutil.SetControllerReference(course, owned, p.Scheme())
	})
	if err != nil {
		return ctrl.Result{}, err
	}
	before := course.DeepCopy()
	if err := unstructured.SetNestedField(course.Object, true, "status", "held"); err != nil {
		return ctrl.Result{}, err
	}
	return ctrl.Result{}, p.Status().Patch(ctx, course, client.MergeFrom(before))
}
