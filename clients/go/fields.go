package polynya

import (
	"fmt"
	"time"
)

// fields reads the keys of a message. The first one that is absent, or of another type, is the error
// of all; keys that this version does not know are ignored.
type fields struct {
	from map[string]any
	err  error
}

func read(from map[string]any) *fields { return &fields{from: from} }

func required[T any](f *fields, key string) T {
	value, ok := f.from[key].(T)
	if !ok && f.err == nil {
		f.err = fmt.Errorf("%w: the server's %q has no %T under %q", ErrMessage, f.from["type"], value, key)
	}
	return value
}

// optional reads a key that may be left out or nil, which both give the zero value.
func optional[T any](f *fields, key string) T {
	if f.from[key] == nil {
		var none T
		return none
	}
	return required[T](f, key)
}

func (f *fields) text(key string) string           { return required[string](f, key) }
func (f *fields) integer(key string) int           { return int(required[int64](f, key)) }
func (f *fields) object(key string) map[string]any { return required[map[string]any](f, key) }

func (f *fields) duration(key string) time.Duration {
	return time.Duration(optional[int64](f, key)) * time.Millisecond
}

// number reads a number that may have a fraction, nil where there is none.
func (f *fields) number(key string) *float64 {
	if f.from[key] == nil {
		return nil
	}
	if whole, isInteger := f.from[key].(int64); isInteger {
		number := float64(whole)
		return &number
	}
	number := required[float64](f, key)
	return &number
}

// objects reads an array of maps, each by the given function.
func objects[T any](f *fields, key string, from func(*fields) T) []T {
	var all []T
	for _, value := range optional[[]any](f, key) {
		object, _ := value.(map[string]any)
		reader := read(object)
		all = append(all, from(reader))
		if f.err == nil {
			f.err = reader.err
		}
	}
	return all
}

// maps reads an array of maps as they are.
func (f *fields) maps(key string) []map[string]any {
	return objects(f, key, func(each *fields) map[string]any {
		if each.from == nil {
			each.err = fmt.Errorf("%w: %q holds something that is no map", ErrMessage, key)
		}
		return each.from
	})
}

// integers reads an array of integers; each nil in it gives the value for none.
func (f *fields) integers(key string, none int) []int {
	values := optional[[]any](f, key)
	if values == nil {
		return nil
	}
	numbers := make([]int, len(values))
	for at, value := range values {
		number, isInteger := value.(int64)
		switch {
		case isInteger:
			numbers[at] = int(number)
		case value == nil:
			numbers[at] = none
		case f.err == nil:
			f.err = fmt.Errorf("%w: %q holds %v, which is no integer", ErrMessage, key, value)
		}
	}
	return numbers
}

func (f *fields) steps(key string) []Step {
	values := optional[[]any](f, key)
	steps := make([]Step, len(values))
	for at, value := range values {
		step, isArray := value.([]any)
		if !isArray && f.err == nil {
			f.err = fmt.Errorf("%w: %q holds %v, which is no step", ErrMessage, key, value)
		}
		steps[at] = step
	}
	return steps
}
