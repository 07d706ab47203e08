package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/client/clientset/clientset"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"
)

var (
	courseKind     = schema.GroupVersionKind{Group: "sea.example.com", Version: "v1", Kind: "Course"}
	courseResource = schema.GroupVersionResource{Group: "sea.example.com", Version: "v1", Resource: "courses"}
)

func (c *clients) courses() dynamic.ResourceInterface {
	return c.dynamic.Resource(courseResource).Namespace(namespace)
}

func course(name string, bearing int64) *unstructured.Unstructured {
	object := &unstructured.Unstructured{Object: map[string]any{"spec": map[string]any{"bearing": bearing}}}
	object.SetGroupVersionKind(courseKind)
	object.SetNamespace(namespace)
	object.SetName(name)
	return object
}

func defineCourses(ctx context.Context, c *clients) error {
	text, err := os.ReadFile("clients/courses.yaml")
	if err != nil {
		return err
	}
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict(text, &definition); err != nil {
		return err
	}
	extensions, err := clientset.NewForConfig(c.config)
	if err != nil {
		return err
	}
	definitions := extensions.ApiextensionsV1().CustomResourceDefinitions()
	if _, err := definitions.Create(ctx, &definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	err = until(ctx, "the definition is established", func() (bool, error) {
		got, err := definitions.Get(ctx, definition.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range got.Status.Conditions {
			if condition.Type == apiextensionsv1.Established {
				return condition.Status == apiextensionsv1.ConditionTrue, nil
			}
		}
		return false, nil
	})
	if err != nil {
		return err
	}
	return until(ctx, "discovery names it", func() (bool, error) {
		resources, err := c.typed.Discovery().ServerResourcesForGroupVersion(courseKind.GroupVersion().String())
		if apierrors.IsNotFound(err) {
			return false, nil
		}
		return err == nil && len(resources.APIResources) == 2, err
	})
}

func useCourses(ctx context.Context, c *clients) error {
	if _, err := c.courses().Create(ctx, course("home", 270), metav1.CreateOptions{}); err != nil {
		return err
	}
	_, refused := c.courses().Create(ctx, course("nowhere", 400), metav1.CreateOptions{})

	patch := []byte(`{"spec": {"bearing": 90}}`)
	patched, err := c.courses().Patch(ctx, "home", types.MergePatchType, patch, metav1.PatchOptions{})
	if err != nil {
		return err
	}
	bearing, _, _ := unstructured.NestedInt64(patched.Object, "spec", "bearing")
	north, _, _ := unstructured.NestedString(patched.Object, "spec", "north")

	if err := unstructured.SetNestedField(patched.Object, true, "status", "held"); err != nil {
		return err
	}
	updated, err := c.courses().UpdateStatus(ctx, patched, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	held, _, _ := unstructured.NestedBool(updated.Object, "status", "held")

	marked := course("home", 90)
	marks := []any{"light", "buoy"}
	if err := unstructured.SetNestedSlice(marked.Object, marks, "spec", "marks"); err != nil {
		return err
	}
	options := metav1.ApplyOptions{FieldManager: "helm", Force: true}
	applied, err := c.courses().Apply(ctx, "home", marked, options)
	if err != nil {
		return err
	}
	kept, _, _ := unstructured.NestedStringSlice(applied.Object, "spec", "marks")

	list, err := c.courses().List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	return errors.Join(
		expect("took a bearing of 400", apierrors.IsInvalid(refused), true),
		expect("bearing", bearing, 90),
		expect("the default of north", north, "true"),
		expect("held", held, true),
		expect("generation after a new status", updated.GetGeneration(), patched.GetGeneration()),
		expect("marks", fmt.Sprint(kept), "[light buoy]"),
		expect("courses", len(list.Items), 1),
	)
}
