package polynya

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/vmihailenco/msgpack/v5"
)

// A message is what a frame holds; the key type names it. Its integers are int64, or uint64 where
// they need to be.
type message map[string]any

const (
	// defaultMaxFrame is what a server takes until its welcome says otherwise, in bytes.
	defaultMaxFrame = 64 * 1024
	// serverMaxFrame is the largest frame that servers send, in bytes.
	serverMaxFrame = 1024 * 1024
	lengthBytes    = 4
)

func (m message) kind() string {
	kind, _ := m["type"].(string)
	return kind
}

// encode gives the frame of a message, its length in front. What is sent is held to the same form
// as what is received, and to maxFrame bytes.
func encode(m message, maxFrame int) ([]byte, error) {
	var frame bytes.Buffer
	frame.Write(make([]byte, lengthBytes))
	encoder := msgpack.NewEncoder(&frame)
	encoder.UseCompactInts(true)
	if err := encoder.Encode(map[string]any(m)); err != nil {
		return nil, malformed("this message cannot be sent: %v", err)
	}
	payload := frame.Bytes()[lengthBytes:]
	if err := checkLength(len(payload), maxFrame); err != nil {
		return nil, err
	}
	if _, err := decode(payload); err != nil {
		return nil, err
	}
	binary.BigEndian.PutUint32(frame.Bytes(), uint32(len(payload)))
	return frame.Bytes(), nil
}

// readFrame reads the payload of the next frame, of at most maxFrame bytes: the length is checked
// before the bytes are waited for.
func readFrame(reader io.Reader, maxFrame int) ([]byte, error) {
	var prefix [lengthBytes]byte
	if _, err := io.ReadFull(reader, prefix[:]); err != nil {
		return nil, err
	}
	length := binary.BigEndian.Uint32(prefix[:])
	if err := checkLength(int(length), maxFrame); err != nil {
		return nil, err
	}
	payload := make([]byte, length)
	_, err := io.ReadFull(reader, payload)
	return payload, err
}

func checkLength(length, maxFrame int) error {
	switch {
	case length == 0:
		return malformed("a frame has at least one byte")
	case length > maxFrame:
		reason := fmt.Sprintf("a frame of %d bytes, at most %d are allowed", length, maxFrame)
		return &FrameError{"too_large", reason}
	}
	return nil
}

// decode gives the message in a frame's payload (what follows the length): exactly one map in the
// form that strictDecoder takes, with a str under type.
func decode(payload []byte) (message, error) {
	reader := bytes.NewReader(payload)
	value, err := strictDecoder{msgpack.NewDecoder(reader), reader}.value(maxNesting)
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, malformed("the map is not complete")
	}
	if err != nil {
		return nil, err
	}
	m, isMap := value.(map[string]any)
	switch {
	case !isMap:
		return nil, malformed("a frame holds a map")
	case reader.Len() > 0:
		return nil, malformed("bytes follow the map")
	}
	if _, named := m["type"].(string); !named {
		return nil, malformed("the message has no type")
	}
	return m, nil
}
