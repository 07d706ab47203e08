// Answers what cel-go makes of expressions: a JSON list of texts on standard input, a JSON list of answers on standard
// output. tools/record-parses.py runs it.
package main

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
)

// question is an expression, and whether the extensions of the syntax are on.
type question struct {
	Text     string `json:"text"`
	Extended bool   `json:"extended"`
}

// answer is the tree with its numbers and what it is written as again, or what is wrong.
type answer struct {
	Tree     string `json:"tree,omitempty"`
	Unparsed string `json:"unparsed,omitempty"`
	Error    string `json:"error,omitempty"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() error {
	plain, err := cel.NewEnv()
	if err != nil {
		return err
	}
	extended, err := cel.NewEnv(cel.OptionalTypes(), cel.EnableIdentifierEscapeSyntax(), cel.EnableMacroCallTracking(),
		ext.Bindings(), ext.TwoVarComprehensions(), ext.Math())
	if err != nil {
		return err
	}
	var questions []question
	if err := json.NewDecoder(os.Stdin).Decode(&questions); err != nil {
		return err
	}
	answers := make([]answer, len(questions))
	for i, question := range questions {
		env := plain
		if question.Extended {
			env = extended
		}
		answers[i] = ask(env, question.Text)
	}
	return json.NewEncoder(os.Stdout).Encode(answers)
}

func ask(env *cel.Env, text string) answer {
	parsed, issues := env.Parse(text)
	if issues.Err() != nil {
		return answer{Error: issues.Err().Error()}
	}
	unparsed, err := cel.AstToString(parsed)
	if err != nil {
		unparsed = "ERROR: " + strings.SplitN(err.Error(), ":", 2)[0]
	}
	native := parsed.NativeRep()
	var tree strings.Builder
	write(&tree, native.Expr())
	for _, id := range sorted(native.SourceInfo().MacroCalls()) {
		fmt.Fprintf(&tree, " %d=", id)
		write(&tree, native.SourceInfo().MacroCalls()[id])
	}
	return answer{Tree: tree.String(), Unparsed: unparsed}
}

func sorted(calls map[int64]ast.Expr) []int64 {
	var ids []int64
	for id := int64(1); len(ids) < len(calls); id++ {
		if _, found := calls[id]; found {
			ids = append(ids, id)
		}
	}
	return ids
}

func write(out *strings.Builder, expr ast.Expr) {
	all := func(name string, parts ...ast.Expr) {
		fmt.Fprintf(out, "(%s#%d", name, expr.ID())
		for _, part := range parts {
			out.WriteString(" ")
			write(out, part)
		}
		out.WriteString(")")
	}
	mark := func(optional bool) {
		if optional {
			out.WriteString("?")
		}
	}
	switch expr.Kind() {
	case ast.LiteralKind:
		fmt.Fprintf(out, "%s#%d", literal(expr), expr.ID())
	case ast.IdentKind:
		fmt.Fprintf(out, "%s#%d", expr.AsIdent(), expr.ID())
	case ast.SelectKind:
		name := "." + expr.AsSelect().FieldName()
		if expr.AsSelect().IsTestOnly() {
			name += "?"
		}
		all(name, expr.AsSelect().Operand())
	case ast.CallKind:
		call := expr.AsCall()
		if call.IsMemberFunction() {
			all("."+call.FunctionName(), append([]ast.Expr{call.Target()}, call.Args()...)...)
		} else {
			all(call.FunctionName(), call.Args()...)
		}
	case ast.ListKind:
		fmt.Fprintf(out, "(list#%d", expr.ID())
		for i, element := range expr.AsList().Elements() {
			out.WriteString(" ")
			mark(expr.AsList().IsOptional(int32(i)))
			write(out, element)
		}
		out.WriteString(")")
	case ast.MapKind:
		fmt.Fprintf(out, "(map#%d", expr.ID())
		for _, entry := range expr.AsMap().Entries() {
			out.WriteString(" ")
			mark(entry.AsMapEntry().IsOptional())
			write(out, entry.AsMapEntry().Key())
			fmt.Fprintf(out, ":#%d ", entry.ID())
			write(out, entry.AsMapEntry().Value())
		}
		out.WriteString(")")
	case ast.StructKind:
		fmt.Fprintf(out, "(%s{}#%d", expr.AsStruct().TypeName(), expr.ID())
		for _, field := range expr.AsStruct().Fields() {
			out.WriteString(" ")
			mark(field.AsStructField().IsOptional())
			fmt.Fprintf(out, "%s:#%d ", field.AsStructField().Name(), field.ID())
			write(out, field.AsStructField().Value())
		}
		out.WriteString(")")
	case ast.ComprehensionKind:
		fold := expr.AsComprehension()
		all(fmt.Sprintf("fold %s,%s %s", fold.IterVar(), fold.IterVar2(), fold.AccuVar()), fold.IterRange(),
			fold.AccuInit(), fold.LoopCondition(), fold.LoopStep(), fold.Result())
	default:
		fmt.Fprintf(out, "nothing#%d", expr.ID())
	}
}

func literal(expr ast.Expr) string {
	switch value := expr.AsLiteral().(type) {
	case types.Bool:
		return strconv.FormatBool(bool(value))
	case types.Int:
		return strconv.FormatInt(int64(value), 10)
	case types.Uint:
		return strconv.FormatUint(uint64(value), 10) + "u"
	case types.Double:
		return fmt.Sprintf("d%x", math.Float64bits(float64(value)))
	case types.String:
		return fmt.Sprintf("s%x", []byte(value))
	case types.Bytes:
		return fmt.Sprintf("b%x", []byte(value))
	default:
		return "null"
	}
}
