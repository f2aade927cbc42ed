package polynya

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
)

const vectors = "testdata/vectors"

type form struct{ Name, Hex string }

// notTheCodecsBusiness are well-formed frames: a client ignores what it does not know, and reads keys
// when it acts.
var notTheCodecsBusiness = map[string]bool{
	"an unknown message":        true,
	"a message of clients":      true,
	"turn without remaining_ms": true,
	"an unknown reason":         true,
	"pong before welcome":       true,
}

func readVectors(t *testing.T, file string, into any) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(vectors, file))
	must(t, err)
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	must(t, decoder.Decode(into))
}

type valueCase struct {
	form
	Value map[string]any
	Also  []form
}

// exactly gives JSON values with the integers that the codec gives.
func exactly(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for key := range value {
			value[key] = exactly(value[key])
		}
	case []any:
		for at := range value {
			value[at] = exactly(value[at])
		}
	case json.Number:
		if whole, err := value.Int64(); err == nil {
			return whole
		}
		if whole, err := strconv.ParseUint(value.String(), 10, 64); err == nil {
			return whole
		}
		number, _ := value.Float64()
		return number
	}
	return value
}

func payloadOf(t *testing.T, text string) []byte {
	t.Helper()
	frame, err := hex.DecodeString(text)
	must(t, err)
	return frame[lengthBytes:]
}

func TestMessagesAreTheSharedBytes(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(vectors, "*.json"))
	must(t, err)
	for _, file := range files {
		name := filepath.Base(file)
		if name == "refused.json" || name == "framing.json" || name == "remarks.json" {
			continue
		}
		var document struct {
			Message, From string
			Cases         []valueCase
		}
		readVectors(t, name, &document)
		for _, c := range document.Cases {
			value := exactly(c.Value).(map[string]any)
			t.Run(document.Message+"/"+c.Name, func(t *testing.T) {
				if document.From != "server" {
					sayTheSame(t, value, c.Hex)
				}
				if document.From != "client" {
					for _, form := range append(c.Also, form{"canonical", c.Hex}) {
						t.Run(form.Name, func(t *testing.T) { understood(t, value, form.Hex) })
					}
				}
			})
		}
	}
}

// sayTheSame encodes a value: to as many bytes as the canonical form, of the same value.
func sayTheSame(t *testing.T, value message, canonical string) {
	frame, err := encode(value, defaultMaxFrame)
	must(t, err)
	decoded, err := decode(frame[lengthBytes:])
	must(t, err)
	equal(t, value, decoded)
	equal(t, len(canonical), len(hex.EncodeToString(frame)))
}

func understood(t *testing.T, value message, text string) {
	decoded, err := decode(payloadOf(t, text))
	must(t, err)
	known := message{}
	for key := range value {
		known[key] = decoded[key]
	}
	equal(t, value, known)
}

func TestFrameThatIsNoMessageIsRefusedWithTheSharedCode(t *testing.T) {
	var refused struct {
		FromServer []struct {
			form
			Code string
		} `json:"from_server"`
	}
	readVectors(t, "refused.json", &refused)
	for _, c := range refused.FromServer {
		if notTheCodecsBusiness[c.Name] {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			_, err := decode(payloadOf(t, c.Hex))
			equal(t, c.Code, codeOf(err))
		})
	}
}

func codeOf(err error) string {
	var frameError *FrameError
	errors.As(err, &frameError)
	if frameError == nil {
		return ""
	}
	return frameError.Code
}

func TestFramesComeOutOfAnyPieces(t *testing.T) {
	var cases []struct {
		Name     string
		MaxFrame int `json:"max_frame"`
		Chunks   []string
		Payloads []string
		Then     string // empty if nothing is wrong
	}
	readVectors(t, "framing.json", &cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			var readers []io.Reader
			for _, chunk := range c.Chunks {
				data, err := hex.DecodeString(chunk)
				must(t, err)
				readers = append(readers, bytes.NewReader(data))
			}
			payloads, then := drain(io.MultiReader(readers...), c.MaxFrame)
			equal(t, c.Payloads, payloads)
			equal(t, c.Then, then)
		})
	}
}

// drain gives the payloads that come out of a stream, and the code of the error that ends them.
func drain(stream io.Reader, maxFrame int) ([]string, string) {
	payloads := []string{}
	for {
		payload, err := readFrame(iotest.OneByteReader(stream), maxFrame)
		if err != nil {
			return payloads, codeOf(err)
		}
		payloads = append(payloads, hex.EncodeToString(payload))
	}
}

func TestMessageThatCannotBeSentIsRefusedBeforeItIs(t *testing.T) {
	for _, c := range []struct {
		what  string
		value any
		code  string
	}{
		{"a function", func() {}, "malformed"},
		{"bytes", []byte("x"), "malformed"},
		{"text that is no UTF-8", "\xff", "malformed"},
		{"a text as long as a frame", strings.Repeat("x", defaultMaxFrame), "too_large"},
	} {
		t.Run(c.what, func(t *testing.T) {
			_, err := encode(message{"type": "move", "value": c.value}, defaultMaxFrame)
			equal(t, c.code, codeOf(err))
		})
	}
}
