// Asks cel-go what expressions come to: values, the text of errors, and what they cost.
//
//	cd tools/record-cel-values && go run . < ../../crates/rhumb-cel/tests/data/values/expressions.txt \
//	    > ../../crates/rhumb-cel/tests/data/values/answers.txt
//
// Each line of the input is an expression; those that begin with # are comments. Each line of the output has the
// expression and three answers between tabs: checked, checked and optimized as Kubernetes does it (where presence tests
// are free, too), and only parsed. An answer is the cost, a space, and the value or "!" and the error; or "?" and why
// there is no program. \n, \t and \\ stand for what would end them. The variables are those of tests/values.rs.
//
// "go run . timings < ../../crates/rhumb-cel/examples/timings/expressions.txt" prints times instead, which the example
// "timings" prints beside ours.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"github.com/google/cel-go/interpreter"
)

const document = `{"name":"web","replicas":3,"ratio":0.5,"labels":{"app":"web"},"tags":["a","b"],
"nested":{"list":[{"name":"one","port":80},{"name":"two","port":443}],"empty":{}},"none":null,"flag":true}`

func environment() (*cel.Env, error) {
	return cel.NewEnv(
		cel.OptionalTypes(),
		cel.DefaultUTCTimeZone(true),
		cel.CrossTypeNumericComparisons(true),
		ext.Strings(ext.StringsVersion(3)),
		ext.Lists(ext.ListsVersion(3)),
		ext.Sets(),
		ext.Math(),
		ext.Encoders(),
		ext.TwoVarComprehensions(),
		ext.Bindings(ext.BindingsVersion(0)),
		cel.Variable("i", cel.IntType),
		cel.Variable("u", cel.UintType),
		cel.Variable("d", cel.DoubleType),
		cel.Variable("s", cel.StringType),
		cel.Variable("e", cel.StringType),
		cel.Variable("b", cel.BytesType),
		cel.Variable("t", cel.TimestampType),
		cel.Variable("w", cel.DurationType),
		cel.Variable("yes", cel.BoolType),
		cel.Variable("no", cel.BoolType),
		cel.Variable("l", cel.ListType(cel.IntType)),
		cel.Variable("ls", cel.ListType(cel.StringType)),
		cel.Variable("ll", cel.ListType(cel.ListType(cel.IntType))),
		cel.Variable("m", cel.MapType(cel.StringType, cel.IntType)),
		cel.Variable("mi", cel.MapType(cel.IntType, cel.StringType)),
		cel.Variable("self", cel.MapType(cel.StringType, cel.DynType)),
		cel.Variable("x", cel.DynType),
		cel.Variable("n", cel.DynType),
		cel.Variable("oi", cel.OptionalType(cel.IntType)),
		cel.Variable("on", cel.OptionalType(cel.IntType)),
		cel.Variable("om", cel.OptionalType(cel.MapType(cel.StringType, cel.IntType))),
		cel.Variable("missing", cel.IntType),
		cel.Variable("a.b.c", cel.IntType),
	)
}

func variables() map[string]any {
	var self any
	if err := json.Unmarshal([]byte(document), &self); err != nil {
		panic(err)
	}
	value := types.DefaultTypeAdapter.NativeToValue
	return map[string]any{
		"i": int64(-7), "u": uint64(9), "d": 2.5, "s": "héllo wörld", "e": "", "b": []byte("b\xffytes"),
		"t": time.Unix(1700000000, 123456789).UTC(), "w": 90*time.Minute + 1500*time.Millisecond,
		"yes": true, "no": false,
		"l": value([]int64{3, 1, 2}), "ls": value([]string{"b", "a", "c"}), "ll": value([][]int64{{1, 2}, {}, {3}}),
		"m": value(map[string]int64{"a": 1}), "mi": value(map[int64]string{1: "one"}),
		"self": value(integers(self)), "x": value(map[string]any{"k": []any{1.5, "two", true, nil}}),
		"n": types.NullValue, "oi": types.OptionalOf(types.Int(4)), "on": types.OptionalNone,
		"om": types.OptionalOf(value(map[string]int64{"a": 1})), "a.b.c": int64(11),
	}
}

// integers makes whole numbers integers, as Kubernetes reads JSON.
func integers(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			v[k] = integers(e)
		}
	case []any:
		for k, e := range v {
			v[k] = integers(e)
		}
	case float64:
		if v == float64(int64(v)) {
			return int64(v)
		}
	}
	return v
}

func answer(env *cel.Env, ast *cel.Ast, vars map[string]any, opts ...cel.ProgramOption) string {
	program, err := env.Program(ast, opts...)
	if err != nil {
		return "?" + err.Error()
	}
	out, details, err := program.Eval(vars)
	cost := uint64(0)
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if err != nil {
		return fmt.Sprintf("%d !%s", cost, err)
	}
	return fmt.Sprintf("%d %s", cost, types.Format(out))
}

var escape = strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\t", "\\t")

func main() {
	env, err := environment()
	if err != nil {
		panic(err)
	}
	vars := variables()
	if len(os.Args) > 1 && os.Args[1] == "timings" {
		timings(env, vars)
		return
	}
	track, optimize := cel.EvalOptions(cel.OptTrackCost), cel.EvalOptions(cel.OptTrackCost, cel.OptOptimize)
	limit := cel.CostLimit(1000000)
	free := cel.CostTrackerOptions(interpreter.PresenceTestHasCost(false))
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		text := in.Text()
		if text == "" || strings.HasPrefix(text, "#") {
			continue
		}
		fields := []string{text, "?", "?", "?"}
		if ast, issues := env.Compile(text); issues.Err() == nil {
			fields[1] = answer(env, ast, vars, track, limit)
			fields[2] = answer(env, ast, vars, optimize, limit, free)
		}
		if ast, issues := env.Parse(text); issues.Err() == nil {
			fields[3] = answer(env, ast, vars, track, limit)
		}
		for i := range fields {
			fields[i] = escape.Replace(fields[i])
		}
		fmt.Println(strings.Join(fields, "\t"))
	}
}

// timings prints how long each expression of the input takes to compile and to evaluate, in nanoseconds.
func timings(env *cel.Env, vars map[string]any) {
	each := func(run func()) float64 {
		run()
		for n := 100; ; n *= 4 {
			start := time.Now()
			for i := 0; i < n; i++ {
				run()
			}
			if took := time.Since(start); took > 200*time.Millisecond {
				return float64(took.Nanoseconds()) / float64(n)
			}
		}
	}
	in := bufio.NewScanner(os.Stdin)
	for in.Scan() {
		text := in.Text()
		var program cel.Program
		compile := each(func() {
			ast, issues := env.Compile(text)
			if issues.Err() != nil {
				panic(issues.Err())
			}
			var err error
			if program, err = env.Program(ast, cel.EvalOptions(cel.OptTrackCost, cel.OptOptimize)); err != nil {
				panic(err)
			}
		})
		evaluate := each(func() { program.Eval(vars) })
		fmt.Printf("%s\t%.0f\t%.0f\n", text, compile, evaluate)
	}
}
