// Drives an API server with client-go and controller-runtime: a line per check, and an end at the first that fails.
package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

// namespace holds what the checks make.
const namespace = "go-client"

// patience is how long a check may take, restarts of the server included.
const patience = 2 * time.Minute

// clients are the ways to the server that the checks share.
type clients struct {
	// config is how a client of JSON connects, which is all that custom resources know.
	config *rest.Config
	// typed speaks protobuf, as the controllers of a cluster do.
	typed   kubernetes.Interface
	dynamic dynamic.Interface
}

var checks = []struct {
	name string
	run  func(context.Context, *clients) error
}{
	{"create and get", createAndGet},
	{"list in pages", listInPages},
	{"watch", watchChanges},
	{"patch: JSON", patchJSON},
	{"patch: merge", patchMerge},
	{"patch: strategic", patchStrategic},
	{"patch: apply", patchApply},
	{"delete", deleteOneAndAll},
	{"custom resource: definition", defineCourses},
	{"custom resource: instances", useCourses},
	{"crowd: lists", crowdListed},
	{"crowd: informers that list", crowdInformed},
	{"crowd: informers that take streams", crowdStreamed},
	{"crowd: dynamic lists and informers", dynamicCrowd},
	{"crowd: lists and informers of metadata", metadataCrowd},
	{"informers over a restart", informersOverARestart},
	{"controller-runtime over a restart", controllerOverARestart},
}

func main() {
	clients, err := connect()
	if err != nil {
		fmt.Println("FAIL connect:", err)
		os.Exit(1)
	}
	for _, check := range checks {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		err := check.run(ctx, clients)
		cancel()
		if err != nil {
			fmt.Printf("FAIL %s: %v\n", check.name, err)
			os.Exit(1)
		}
		fmt.Println("ok  ", check.name)
	}
}

func connect() (*clients, error) {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return nil, err
	}
	protobuf := rest.CopyConfig(config)
	protobuf.ContentType = runtime.ContentTypeProtobuf
	protobuf.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	typed, err := kubernetes.NewForConfig(protobuf)
	if err != nil {
		return nil, err
	}
	dynamic, err := dynamic.NewForConfig(config)
	return &clients{config: config, typed: typed, dynamic: dynamic}, err
}

// restart kills the server and starts it again with the same data on the same port.
func restart(ctx context.Context) error {
	output, err := exec.CommandContext(ctx, "sh", "-c", os.Getenv("RHUMB_RESTART")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("the server did not come back: %w: %s", err, output)
	}
	return nil
}

// until asks again and again until the answer is yes, an error, or the check's time is over.
func until(ctx context.Context, what string, ask func() (bool, error)) error {
	for {
		if done, err := ask(); done || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return fmt.Errorf("waited in vain until %s", what)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// expect compares what came with what had to come.
func expect[T comparable](what string, got, want T) error {
	if got != want {
		return fmt.Errorf("%s: got %v, want %v", what, got, want)
	}
	return nil
}
