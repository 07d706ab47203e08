// Asks cel-go what it makes of expressions: their types, the text of errors, and the costs that it expects.
//
//	cd tools/record-cel && go run . ../../crates/rhumb-cel/tests/data/checked \
//	    ../../crates/rhumb-cel-kubernetes/tests/data/checked
//
// In each folder it reads cases.json, which has environments and expressions, and writes answers.txt: for each expression one line with
// the environment, the expression, and its type and costs, or what is wrong with it. The fields are between tabs, and
// \n, \t and \\ stand for what would end them. For each library that an environment has it writes what that declares into
// libraries.txt: functions with their overloads in the order in which they are tried, and names of types.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"sort"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/checker"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/ext"
	"google.golang.org/protobuf/types/known/structpb"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	v1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apimachinery/pkg/util/version"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/environment"
	"k8s.io/apiserver/pkg/cel/library"
)

type cases struct {
	Environments map[string]described `json:"environments"`
	Cases        []group              `json:"cases"`
}

type described struct {
	Container     string                       `json:"container"`
	Abbreviations []string                     `json:"abbreviations"`
	Variables     map[string]string            `json:"variables"`
	Functions     []function                   `json:"functions"`
	Objects       map[string]map[string]string `json:"objects"`
	Libraries     []string                     `json:"libraries"`
	Options       []string                     `json:"options"`
	Sizes         map[string]uint64            `json:"sizes"`
	// A schema makes it the environment of rules in a definition, whose variable is self.
	Schema *v1.JSONSchemaProps `json:"schema"`
}

type function struct {
	Name   string   `json:"name"`
	ID     string   `json:"id"`
	Member bool     `json:"member"`
	Params []string `json:"params"`
	Result string   `json:"result"`
}

type group struct {
	Environment string   `json:"environment"`
	Expressions []string `json:"expressions"`
	// Each of these is an expression for each pair of operands.
	Templates []string `json:"templates"`
	Operands  []string `json:"operands"`
	// Whether they are evaluated, too. They have no variables then.
	Evaluate bool `json:"evaluate"`
}

func must[T any](value T, err error) T {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	return value
}

func main() {
	for _, folder := range os.Args[1:] {
		record(folder)
	}
}

func record(folder string) {
	var all cases
	must(0, json.Unmarshal(must(os.ReadFile(filepath.Join(folder, "cases.json"))), &all))
	environments := map[string]*cel.Env{}
	estimators := map[string]checker.CostEstimator{}
	for name, env := range all.Environments {
		if env.Schema != nil {
			environments[name], estimators[name] = kubernetes(env)
		} else {
			environments[name], estimators[name] = build(env), sizes(env.Sizes)
		}
	}
	declarations(folder, all)
	file := must(os.Create(filepath.Join(folder, "answers.txt")))
	defer file.Close()
	out := bufio.NewWriter(file)
	defer out.Flush()
	for _, group := range all.Cases {
		expressions := group.Expressions
		for _, template := range group.Templates {
			for _, left := range group.Operands {
				for _, right := range group.Operands {
					expressions = append(expressions, strings.NewReplacer("$a", left, "$b", right).Replace(template))
				}
			}
		}
		seen := map[string]bool{}
		for _, expression := range expressions {
			if seen[expression] {
				continue
			}
			seen[expression] = true
			answer := ask(environments[group.Environment], estimators[group.Environment], expression)
			if group.Evaluate {
				answer += evaluate(environments[group.Environment], expression)
			}
			fmt.Fprintf(out, "%s\t%s\t%s\n", group.Environment, escape(expression), answer)
		}
	}
}

func ask(env *cel.Env, estimator checker.CostEstimator, expression string) string {
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		return escape(issues.Err().Error())
	}
	cost := must(env.EstimateCost(ast, estimator))
	return fmt.Sprintf("%s\t%d..%d", cel.FormatCELType(ast.OutputType()), cost.Min, cost.Max)
}

// Returns the value of an expression as JSON, or its error, and what it cost; nothing if it has no program.
func evaluate(env *cel.Env, expression string) string {
	ast, issues := env.Compile(expression)
	if issues.Err() != nil {
		return ""
	}
	program, err := env.Program(ast)
	if err != nil {
		return "\t" + escape(err.Error())
	}
	value, details, err := program.Eval(map[string]any{})
	if err != nil {
		return fmt.Sprintf("\t%s\t%d", escape(err.Error()), *details.ActualCost())
	}
	native := must(value.ConvertToNative(reflect.TypeFor[*structpb.Value]())).(*structpb.Value)
	return fmt.Sprintf("\t%s\t%d", escape(string(must(json.Marshal(native.AsInterface())))), *details.ActualCost())
}

func escape(text string) string {
	return strings.NewReplacer("\\", "\\\\", "\n", "\\n", "\t", "\\t").Replace(text)
}

// The largest sizes of variables by their paths.
type sizes map[string]uint64

func (sizes sizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	if size, found := sizes[strings.Join(node.Path(), ".")]; found {
		return &checker.SizeEstimate{Min: 0, Max: size}
	}
	return nil
}

func (sizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

func build(env described) *cel.Env {
	var options []cel.EnvOption
	if env.Container != "" {
		options = append(options, cel.Container(env.Container))
	}
	if len(env.Abbreviations) > 0 {
		options = append(options, cel.Abbrevs(env.Abbreviations...))
	}
	if len(env.Objects) > 0 {
		options = append(options, cel.CustomTypeProvider(objects{must(types.NewRegistry()), env.Objects}))
	}
	for _, name := range sorted(env.Variables) {
		options = append(options, cel.Variable(name, parse(env.Variables[name])))
	}
	for _, function := range env.Functions {
		params := make([]*cel.Type, len(function.Params))
		for i, param := range function.Params {
			params[i] = parse(param)
		}
		overload := cel.Overload
		if function.Member {
			overload = cel.MemberOverload
		}
		options = append(options, cel.Function(function.Name, overload(function.ID, params, parse(function.Result))))
	}
	for _, name := range env.Libraries {
		options = append(options, extension(name))
	}
	for _, name := range env.Options {
		options = append(options, option(name))
	}
	return must(cel.NewEnv(options...))
}

func extension(name string) cel.EnvOption {
	switch name {
	case "optional":
		return cel.OptionalTypes()
	case "strings":
		return ext.Strings()
	case "strings-2":
		return ext.Strings(ext.StringsVersion(2))
	case "lists":
		return ext.Lists()
	case "lists-3":
		return ext.Lists(ext.ListsVersion(3))
	case "sets":
		return ext.Sets()
	case "math":
		return ext.Math()
	case "encoders":
		return ext.Encoders()
	case "bindings":
		return ext.Bindings()
	case "comprehensions":
		return ext.TwoVarComprehensions()
	}
	panic(name)
}

func option(name string) cel.EnvOption {
	switch name {
	case "cross-type-comparisons":
		return cel.CrossTypeNumericComparisons(true)
	case "homogeneous":
		return cel.HomogeneousAggregateLiterals()
	case "literals":
		return cel.ASTValidators(cel.ValidateDurationLiterals(), cel.ValidateTimestampLiterals(), cel.ValidateRegexLiterals())
	case "nesting-2":
		return cel.ASTValidators(cel.ValidateComprehensionNestingLimit(2))
	case "free-presence-tests":
		return cel.CostEstimatorOptions(checker.PresenceTestHasCost(false))
	}
	panic(name)
}

func sorted(variables map[string]string) []string {
	var names []string
	for name := range variables {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}

var simple = map[string]*cel.Type{
	"any": cel.AnyType, "bool": cel.BoolType, "bytes": cel.BytesType, "double": cel.DoubleType, "dyn": cel.DynType,
	"duration": cel.DurationType, "int": cel.IntType, "null": cel.NullType, "string": cel.StringType,
	"timestamp": cel.TimestampType, "type": cel.TypeType, "uint": cel.UintType,
	// Types of Kubernetes' libraries are compared by identity.
	"kubernetes.Quantity": apiservercel.QuantityType, "kubernetes.URL": apiservercel.URLType,
	"kubernetes.authorization.Authorizer": library.AuthorizerType,
}

// Reads a type: a simple one, NAME(TYPE, ...), a parameter of one capital letter, or the name of an object.
func parse(text string) *cel.Type {
	if found := simple[text]; found != nil {
		return found
	}
	name, rest, found := strings.Cut(text, "(")
	if !found {
		if len(text) == 1 && text[0] >= 'A' && text[0] <= 'Z' {
			return cel.TypeParamType(text)
		}
		return cel.ObjectType(text)
	}
	var params []*cel.Type
	depth, start := 0, 0
	rest = strings.TrimSuffix(rest, ")")
	for i, c := range rest + "," {
		switch {
		case c == '(':
			depth++
		case c == ')':
			depth--
		case c == ',' && depth == 0:
			params = append(params, parse(strings.TrimSpace(rest[start:i])))
			start = i + 1
		}
	}
	switch name {
	case "list":
		return cel.ListType(params[0])
	case "map":
		return cel.MapType(params[0], params[1])
	case "wrapper":
		return cel.NullableType(params[0])
	case "optional":
		return cel.OptionalType(params[0])
	case "type":
		return types.NewTypeTypeWithParam(params[0])
	}
	return cel.OpaqueType(name, params...)
}

// Objects by name, with the types of their fields; everything else is the registry's.
type objects struct {
	*types.Registry
	fields map[string]map[string]string
}

func (o objects) FindStructType(name string) (*types.Type, bool) {
	if _, found := o.fields[name]; found {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return o.Registry.FindStructType(name)
}

func (o objects) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	if fields, found := o.fields[name]; found {
		text, found := fields[field]
		if !found {
			return nil, false
		}
		return &types.FieldType{Type: parse(text)}, true
	}
	return o.Registry.FindStructFieldType(name, field)
}

// Makes the environment of stored rules about a resource with this schema, and its estimator.
func kubernetes(env described) (*cel.Env, checker.CostEstimator) {
	var internal apiextensions.JSONSchemaProps
	must(0, v1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(env.Schema, &internal, nil))
	structural := must(schema.NewStructural(&internal))
	declared := model.SchemaDeclType(structural, true)
	named := declared.MaybeAssignTypeName("self.type")
	options := []cel.EnvOption{cel.Variable("self", named.CelType())}
	for _, name := range sorted(env.Variables) {
		options = append(options, cel.Variable(name, parse(env.Variables[name])))
	}
	set := must(environment.MustBaseEnvSet(version.MajorMinor(1, 35)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        options,
		DeclTypes:         []*apiservercel.DeclType{named},
	}))
	return set.StoredExpressionsEnv(), &library.CostEstimator{SizeEstimator: declaredSizes{declared}}
}

// Sizes of what is reached from self.
type declaredSizes struct{ root *apiservercel.DeclType }

func (s declaredSizes) EstimateSize(node checker.AstNode) *checker.SizeEstimate {
	if len(node.Path()) == 0 {
		return nil
	}
	at := s.root
	for _, name := range node.Path()[1:] {
		switch name {
		case "@items", "@values":
			at = at.ElemType
		case "@keys":
			at = at.KeyType
		default:
			field, found := at.Fields[name]
			if !found {
				return nil
			}
			at = field.Type
		}
		if at == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Min: 0, Max: uint64(at.MaxElements)}
}

func (declaredSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// Writes what libraries declare.
func declarations(folder string, all cases) {
	libraries := map[string]string{}
	for _, env := range all.Environments {
		for _, name := range env.Libraries {
			libraries[name] = ""
		}
	}
	if len(libraries) == 0 {
		return
	}
	libraries["standard"] = ""
	file := must(os.Create(filepath.Join(folder, "libraries.txt")))
	defer file.Close()
	for _, name := range sorted(libraries) {
		option := cel.StdLib()
		if name != "standard" {
			option = extension(name)
		}
		env := must(cel.NewCustomEnv(option))
		variables := map[string]string{}
		for _, variable := range env.Variables() {
			variables[variable.Name()] = write(variable.Type())
		}
		// The name of this type is in the registry.
		if _, found := env.CELTypeProvider().FindIdent("optional_type"); found {
			variables["optional_type"] = "type(optional_type)"
		}
		for _, variable := range sorted(variables) {
			fmt.Fprintf(file, "%s\tvariable\t%s\t%s\n", name, variable, variables[variable])
		}
		functions := map[string]string{}
		for function, declared := range env.Functions() {
			if declared.IsDeclarationDisabled() {
				continue
			}
			for _, overload := range declared.OverloadDecls() {
				kind := "global"
				if overload.IsMemberFunction() {
					kind = "member"
				}
				var params []string
				for _, param := range overload.ArgTypes() {
					params = append(params, write(param))
				}
				functions[function] += fmt.Sprintf("%s\t%s\t%s\t%s\t%s\t%s\n", name, kind, function, overload.ID(),
					strings.Join(params, "; "), write(overload.ResultType()))
			}
		}
		for _, function := range sorted(functions) {
			fmt.Fprint(file, functions[function])
		}
	}
}

// Writes a type as parse reads it.
func write(t *cel.Type) string {
	for name, known := range simple {
		if t.IsExactType(known) && t.DeclaredTypeName() == known.DeclaredTypeName() {
			return name
		}
	}
	name := t.TypeName()
	switch {
	case strings.HasPrefix(t.DeclaredTypeName(), "wrapper("):
		return t.DeclaredTypeName()
	case name == "optional_type":
		name = "optional"
	}
	var params []string
	for _, param := range t.Parameters() {
		params = append(params, write(param))
	}
	if len(params) == 0 {
		return name
	}
	return name + "(" + strings.Join(params, ", ") + ")"
}
