package polynya

import (
	"errors"
	"fmt"
	"log/slog"
	"math"
	"reflect"
	"sync"
)

const maxInfoBytes = 1024

// remarks are what a bot sends beside its steps. They never cost a match: what cannot be sent as a
// whole is left out, and that is told once.
type remarks struct {
	told   sync.Once
	logger *slog.Logger
}

// of gives the remarks of a turn, nil if there are none that can be sent.
func (r *remarks) of(turn *Turn) map[string]any {
	if len(turn.Info) == 0 {
		return nil
	}
	err := sendable(turn.Info)
	if err == nil {
		return turn.Info
	}
	r.told.Do(func() {
		r.logger.Warn(fmt.Sprintf("turn %d of match %s is sent without its info: %s (this is said once)",
			turn.Number, printable(turn.Match.ID), printable(err.Error())))
	})
	return nil
}

// sendable tells what is wrong with remarks, nil if nothing.
func sendable(info map[string]any) (err error) {
	defer func() { // an author's own methods for the encoder may do anything
		if panicked := recover(); panicked != nil {
			err = fmt.Errorf("it cannot be encoded: %v", panicked)
		}
	}()
	room := maxInfoBytes
	if err := measure(reflect.ValueOf(info), maxNesting-1, &room); err != nil {
		return err
	}
	around, err := encode(message{"type": "", "info": map[string]any{}}, math.MaxInt32)
	if err != nil {
		return err
	}
	_, err = encode(message{"type": "", "info": info}, len(around)-lengthBytes-1+maxInfoBytes)
	return err
}

var errTooLarge = errors.New("it is over the limit of 1024 bytes, or nested too deep")

// measure follows a value no further than can be sent, since it may lead back to itself.
func measure(value reflect.Value, levels int, room *int) error {
	if *room--; *room < 0 || levels < -1 {
		return errTooLarge
	}
	switch value.Kind() {
	case reflect.String:
		if value.Len() > maxInfoBytes {
			return errTooLarge
		}
	case reflect.Float32, reflect.Float64:
		if number := value.Float(); math.IsNaN(number) || math.IsInf(number, 0) {
			return fmt.Errorf("it holds %v", number)
		}
	case reflect.Interface, reflect.Pointer:
		if !value.IsNil() {
			return measure(value.Elem(), levels-boolToInt(value.Kind() == reflect.Pointer), room)
		}
	case reflect.Map:
		for entry := value.MapRange(); entry.Next(); {
			if err := errors.Join(
				measure(entry.Key(), levels-1, room), measure(entry.Value(), levels-1, room),
			); err != nil {
				return err
			}
		}
	case reflect.Slice, reflect.Array:
		for at := range value.Len() {
			if err := measure(value.Index(at), levels-1, room); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for at := range value.NumField() {
			if err := measure(value.Field(at), levels-1, room); err != nil {
				return err
			}
		}
	case reflect.Chan, reflect.Func, reflect.UnsafePointer, reflect.Complex64, reflect.Complex128:
		return fmt.Errorf("it holds a %v", value.Type())
	}
	return nil
}

func boolToInt(yes bool) int {
	if yes {
		return 1
	}
	return 0
}
