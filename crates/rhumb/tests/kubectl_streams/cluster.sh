# Makes what the sessions work with: two nodes that lead to the stand-in for a kubelet, one whose kubelet speaks
# WebSocket and one that speaks SPDY, and pods on them that run. KUBELET_PORT is where it listens.
set -e
node() {
    printf '{"apiVersion":"v1","kind":"Node","metadata":{"name":"%s"}}' "$1" | kubectl create -f -
    status='{"status":{"addresses":[{"type":"InternalIP","address":"127.0.0.1"}],"declaredFeatures":['$2'],'
    status=$status'"daemonEndpoints":{"kubeletEndpoint":{"Port":'$KUBELET_PORT'}}}}'
    kubectl patch node "$1" --subresource=status --type=merge -p "$status"
}
# pod NAME NODE CONTAINER...
pod() {
    name=$1 node=$2 containers= states= port=80
    shift 2
    for container; do
        tty=$(test "$container" != typed || echo ',"tty":true,"stdin":true')
        containers="$containers${containers:+,}{\"name\":\"$container\",\"image\":\"i\",\"ports\":[{\"name\":\"p-$container\",\"containerPort\":$port}]$tty}"
        port=$((port + 1))
        states="$states${states:+,}{\"name\":\"$container\",\"image\":\"i\",\"imageID\":\"\",\"ready\":true,\"restartCount\":1,\"state\":{\"running\":{}}}"
    done
    printf '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"%s","labels":{"app":"%s"}},"spec":{"nodeName":"%s","containers":[%s]}}' \
        "$name" "${name%-*}" "$node" "$containers" | kubectl create -f -
    kubectl patch pod "$name" --subresource=status --type=merge -p \
        '{"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],"containerStatuses":['"$states"']}}'
}
{
    node near '"ExtendWebSocketsToKubelet"'
    node far
    pod web-1 far main
    pod web-2 near main side
    pod job-1 near short
    pod job-2 far short typed
    pod lost-1 near gone
} >/dev/null
