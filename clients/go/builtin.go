package main

import (
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
)

func (c *clients) configMaps() typedcorev1.ConfigMapInterface {
	return c.typed.CoreV1().ConfigMaps(namespace)
}

func configMap(name string, labels map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels},
		Data:       map[string]string{"wind": "north"},
	}
}

func createAndGet(ctx context.Context, c *clients) error {
	space := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}
	if _, err := c.typed.CoreV1().Namespaces().Create(ctx, space, metav1.CreateOptions{}); err != nil {
		return err
	}
	made, err := c.configMaps().Create(ctx, configMap("first", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	got, err := c.configMaps().Get(ctx, "first", metav1.GetOptions{})
	if err != nil {
		return err
	}
	_, twice := c.configMaps().Create(ctx, configMap("first", nil), metav1.CreateOptions{})
	_, nowhere := c.configMaps().Get(ctx, "nobody", metav1.GetOptions{})
	stale := made.DeepCopy()
	stale.ResourceVersion = "1"
	_, outdated := c.configMaps().Update(ctx, stale, metav1.UpdateOptions{})
	return errors.Join(
		expect("uid", got.UID, made.UID),
		expect("data", got.Data["wind"], "north"),
		expect("created twice", apierrors.IsAlreadyExists(twice), true),
		expect("got what is not there", apierrors.IsNotFound(nowhere), true),
		expect("updated an old version", apierrors.IsConflict(outdated), true),
	)
}

func listInPages(ctx context.Context, c *clients) error {
	for i := range 5 {
		page := configMap(fmt.Sprintf("page-%d", i), map[string]string{"book": "log"})
		if _, err := c.configMaps().Create(ctx, page, metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	var sizes []int
	var versions []string
	options := metav1.ListOptions{LabelSelector: "book=log", Limit: 2}
	for {
		list, err := c.configMaps().List(ctx, options)
		if err != nil {
			return err
		}
		sizes = append(sizes, len(list.Items))
		versions = append(versions, list.ResourceVersion)
		if options.Continue = list.Continue; options.Continue == "" {
			break
		}
	}
	return errors.Join(
		expect("sizes of the pages", fmt.Sprint(sizes), "[2 2 1]"),
		expect("revision of the last page", versions[len(versions)-1], versions[0]),
	)
}

func watchChanges(ctx context.Context, c *clients) error {
	list, err := c.configMaps().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	watching, err := c.configMaps().Watch(ctx, metav1.ListOptions{
		ResourceVersion: list.ResourceVersion,
		FieldSelector:   "metadata.name=watched",
	})
	if err != nil {
		return err
	}
	defer watching.Stop()

	made, err := c.configMaps().Create(ctx, configMap("watched", nil), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	made.Data["wind"] = "south"
	if _, err := c.configMaps().Update(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	if err := c.configMaps().Delete(ctx, "watched", metav1.DeleteOptions{}); err != nil {
		return err
	}
	for _, want := range []watch.EventType{watch.Added, watch.Modified, watch.Deleted} {
		select {
		case event := <-watching.ResultChan():
			if err := expect("event", event.Type, want); err != nil {
				return err
			}
		case <-ctx.Done():
			return fmt.Errorf("no event %s", want)
		}
	}
	return nil
}

func (c *clients) patched(ctx context.Context, kind types.PatchType, patch string) (*corev1.ConfigMap, error) {
	return c.configMaps().Patch(ctx, "first", kind, []byte(patch), metav1.PatchOptions{})
}

func patchJSON(ctx context.Context, c *clients) error {
	got, err := c.patched(ctx, types.JSONPatchType, `[
		{"op": "test", "path": "/data/wind", "value": "north"},
		{"op": "add", "path": "/data/sea", "value": "calm"}]`)
	if err != nil {
		return err
	}
	_, refused := c.patched(ctx, types.JSONPatchType, `[{"op": "remove", "path": "/data/nothing"}]`)
	return errors.Join(
		expect("sea", got.Data["sea"], "calm"),
		expect("removed what is not there", apierrors.IsInvalid(refused), true),
	)
}

func patchMerge(ctx context.Context, c *clients) error {
	got, err := c.patched(ctx, types.MergePatchType, `{"data": {"sea": null, "sky": "clear"}}`)
	if err != nil {
		return err
	}
	_, sea := got.Data["sea"]
	return errors.Join(expect("sky", got.Data["sky"], "clear"), expect("sea is left", sea, false))
}

func patchStrategic(ctx context.Context, c *clients) error {
	labels := map[string]string{"app": "ship"}
	deployments := c.typed.AppsV1().Deployments(namespace)
	_, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "ship"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "sail", Image: "sail:1"}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	// Containers are merged by name: one changes, one is new.
	patch := `{"spec": {"template": {"spec": {"containers": [
		{"name": "sail", "image": "sail:2"}, {"name": "oar", "image": "oar:1"}]}}}}`
	got, err := deployments.Patch(ctx, "ship", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
	if err != nil {
		return err
	}
	images := map[string]string{}
	for _, container := range got.Spec.Template.Spec.Containers {
		images[container.Name] = container.Image
	}
	return expect("images", fmt.Sprint(images), "map[oar:oar:1 sail:sail:2]")
}

func patchApply(ctx context.Context, c *clients) error {
	wind := func(direction string) *applycorev1.ConfigMapApplyConfiguration {
		return applycorev1.ConfigMap("applied", namespace).WithData(map[string]string{"wind": direction})
	}
	as := func(manager string, force bool) metav1.ApplyOptions {
		return metav1.ApplyOptions{FieldManager: manager, Force: force}
	}
	if _, err := c.configMaps().Apply(ctx, wind("east"), as("helm", false)); err != nil {
		return err
	}
	_, conflict := c.configMaps().Apply(ctx, wind("west"), as("mate", false))
	forced, err := c.configMaps().Apply(ctx, wind("west"), as("mate", true))
	if err != nil {
		return err
	}
	return errors.Join(
		expect("took another's field", apierrors.IsConflict(conflict), true),
		expect("wind", forced.Data["wind"], "west"),
		expect("managers", len(forced.ManagedFields), 1),
	)
}

func deleteOneAndAll(ctx context.Context, c *clients) error {
	if err := c.configMaps().Delete(ctx, "applied", metav1.DeleteOptions{}); err != nil {
		return err
	}
	_, gone := c.configMaps().Get(ctx, "applied", metav1.GetOptions{})
	pages := metav1.ListOptions{LabelSelector: "book=log"}
	if err := c.configMaps().DeleteCollection(ctx, metav1.DeleteOptions{}, pages); err != nil {
		return err
	}
	left, err := c.configMaps().List(ctx, pages)
	if err != nil {
		return err
	}
	return errors.Join(
		expect("is gone", apierrors.IsNotFound(gone), true),
		expect("pages left", len(left.Items), 0),
	)
}
