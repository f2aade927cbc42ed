package polynya

import (
	"bytes"
	"math"
	"unicode/utf8"

	"github.com/vmihailenco/msgpack/v5"
	"github.com/vmihailenco/msgpack/v5/msgpcode"
)

// maxNesting is how many maps and arrays are inside each other, the message itself included.
const maxNesting = 16

// A strictDecoder reads values as the protocol allows them, which is less than msgpack: text in
// UTF-8, maps with string keys, none of them twice, no bin and no ext, at most 16 levels.
type strictDecoder struct {
	*msgpack.Decoder
	rest *bytes.Reader
}

// value reads the next value, with this many levels of maps and arrays left.
func (d strictDecoder) value(levels int) (any, error) {
	code, err := d.PeekCode()
	if err != nil {
		return nil, err
	}
	switch {
	case msgpcode.IsFixedNum(code):
		return d.DecodeInt64()
	case isText(code):
		return d.text()
	case msgpcode.IsFixedMap(code), code == msgpcode.Map16, code == msgpcode.Map32:
		return d.mapping(levels)
	case msgpcode.IsFixedArray(code), code == msgpcode.Array16, code == msgpcode.Array32:
		return d.array(levels)
	}
	switch code {
	case msgpcode.Nil:
		return nil, d.DecodeNil()
	case msgpcode.False, msgpcode.True:
		return d.DecodeBool()
	case msgpcode.Float, msgpcode.Double:
		return d.DecodeFloat64()
	case msgpcode.Uint8, msgpcode.Uint16, msgpcode.Uint32,
		msgpcode.Int8, msgpcode.Int16, msgpcode.Int32, msgpcode.Int64:
		return d.DecodeInt64()
	case msgpcode.Uint64:
		number, err := d.DecodeUint64()
		if number > math.MaxInt64 {
			return number, err
		}
		return int64(number), err
	}
	return nil, malformed("bin and ext are not used in this protocol")
}

func isText(code byte) bool {
	return msgpcode.IsFixedString(code) ||
		code == msgpcode.Str8 || code == msgpcode.Str16 || code == msgpcode.Str32
}

func (d strictDecoder) text() (string, error) {
	text, err := d.DecodeString()
	if err == nil && !utf8.ValidString(text) {
		err = malformed("text is no UTF-8")
	}
	return text, err
}

func (d strictDecoder) mapping(levels int) (map[string]any, error) {
	size, err := d.DecodeMapLen()
	if err != nil {
		return nil, err
	}
	if levels == 0 {
		return nil, tooDeep()
	}
	found := make(map[string]any, min(size, d.rest.Len()))
	for range size {
		key, err := d.key()
		if err != nil {
			return nil, err
		}
		if _, twice := found[key]; twice {
			return nil, malformed("a key occurs twice in a map")
		}
		if found[key], err = d.value(levels - 1); err != nil {
			return nil, err
		}
	}
	return found, nil
}

func (d strictDecoder) key() (string, error) {
	code, err := d.PeekCode()
	if err == nil && !isText(code) {
		err = malformed("a key is not a string")
	}
	if err != nil {
		return "", err
	}
	return d.text()
}

func (d strictDecoder) array(levels int) ([]any, error) {
	size, err := d.DecodeArrayLen()
	if err != nil {
		return nil, err
	}
	if levels == 0 {
		return nil, tooDeep()
	}
	values := make([]any, 0, min(size, d.rest.Len()))
	for range size {
		value, err := d.value(levels - 1)
		if err != nil {
			return nil, err
		}
		values = append(values, value)
	}
	return values, nil
}

func tooDeep() error {
	return malformed("maps and arrays are nested deeper than %d", maxNesting)
}
