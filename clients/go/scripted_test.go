package polynya

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"maps"
	"net"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/vmihailenco/msgpack/v5"
)

// patience is how long a test waits for what must come.
const patience = 120 * time.Second

type words = map[string]any

var (
	goodbye = words{"type": "goodbye", "reason": "finished"}
	welcome = words{
		"type": "welcome", "protocol": 1, "server": words{"name": "scripted", "version": "1"},
		"bot": "ada", "session": "s1", "heartbeat_ms": 10_000, "max_frame": 65_536, "matches": []any{},
	}
	matchStart = words{
		"type": "match_start", "match": "m1", "seq": 0, "game": "packeis", "seat": 1,
		"players": []any{
			words{"seat": 0, "name": "bob", "rating": 1510.5}, words{"seat": 1, "name": "ada", "rating": nil},
		},
		"options": words{}, "clock": words{"initial_ms": nil, "increment_ms": nil, "move_ms": 5000},
		"state": words{"game": "packeis"},
	}
	turnAsked = words{"type": "turn", "match": "m1", "seq": 1, "turn": 1, "remaining_ms": 5000}
)

func changed(message, changes words) words {
	changed := maps.Clone(message)
	maps.Copy(changed, changes)
	return changed
}

// A peer is the server's end of a connection: every word of it is the test's, in frames written with
// msgpack alone.
type peer struct {
	t      *testing.T
	socket net.Conn
}

func (p peer) send(messages ...words) {
	p.t.Helper()
	var frames []byte
	for _, message := range messages {
		payload, err := msgpack.Marshal(message)
		must(p.t, err)
		frames = binary.BigEndian.AppendUint32(frames, uint32(len(payload)))
		frames = append(frames, payload...)
	}
	_, err := p.socket.Write(frames)
	must(p.t, err)
}

func (p peer) receive() message {
	p.t.Helper()
	payload, err := readFrame(p.socket, serverMaxFrame)
	must(p.t, err)
	received, err := decode(payload)
	must(p.t, err)
	return received
}

// ended tells whether the bot has closed the connection, with nothing more to say.
func (p peer) ended() bool {
	_, err := p.socket.Read(make([]byte, 1))
	return err == io.EOF
}

// welcome takes the hello and answers it; the hello.
func (p peer) welcome(changes words) message {
	p.t.Helper()
	hello := p.receive()
	p.send(changed(welcome, changes))
	return hello
}

// beginMatch starts a match and waits until the bot is ready.
func (p peer) beginMatch(changes words) {
	p.t.Helper()
	start := changed(matchStart, changes)
	p.send(start)
	equal(p.t, message{"type": "ready", "match": start["match"]}, p.receive())
}

func (p peer) ask(changes words) {
	p.t.Helper()
	p.send(changed(turnAsked, changes))
}

// A scriptedServer is a listening socket, and a bot that runs against it.
type scriptedServer struct {
	t        *testing.T
	listener net.Listener
	ended    chan error
	stop     context.CancelFunc
}

// serve runs a bot against a server of the test.
func serve(t *testing.T, bot Bot, options Options) *scriptedServer {
	t.Helper()
	return serveIn(context.Background(), t, bot, options)
}

// serveIn does the same with a context of the caller's.
func serveIn(ctx context.Context, t *testing.T, bot Bot, options Options) *scriptedServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(t, err)
	return serveOnIn(ctx, t, listener, bot, options)
}

func serveOn(t *testing.T, listener net.Listener, bot Bot, options Options) *scriptedServer {
	t.Helper()
	return serveOnIn(context.Background(), t, listener, bot, options)
}

func serveOnIn(ctx context.Context, t *testing.T, listener net.Listener, bot Bot, options Options) *scriptedServer {
	t.Helper()
	for _, name := range []string{
		"HOST", "PORT", "TOKEN", "TOKEN_FILE", "NAME", "TLS", "LOG", "RECONNECT", "GAMES", "CONCURRENCY",
		"CA_FILE",
	} {
		t.Setenv("POLYNYA_"+name, "")
	}
	t.Setenv("XDG_STATE_HOME", t.TempDir())
	options.Name, options.Port = "ada", listener.Addr().(*net.TCPAddr).Port
	ctx, stop := context.WithCancel(ctx)
	server := &scriptedServer{t, listener, make(chan error, 1), stop}
	t.Cleanup(func() { stop(); listener.Close() })
	go func() { server.ended <- Run(ctx, bot, options) }()
	return server
}

func (s *scriptedServer) accept() peer {
	s.t.Helper()
	socket, err := s.listener.Accept()
	must(s.t, err)
	s.t.Cleanup(func() { socket.Close() })
	must(s.t, socket.SetDeadline(time.Now().Add(patience)))
	return peer{s.t, socket}
}

// result is what Run gives.
func (s *scriptedServer) result() error {
	s.t.Helper()
	select {
	case err := <-s.ended:
		return err
	case <-time.After(patience):
		s.t.Fatal("the bot goes on")
		return nil
	}
}

// captureWarnings gives the text of the lines for the bot's author, once the bot has ended.
func captureWarnings(t *testing.T) func() []string {
	var lines bytes.Buffer
	before := slog.Default()
	slog.SetDefault(slog.New(slog.NewTextHandler(&lines, nil)))
	t.Cleanup(func() { slog.SetDefault(before) })
	return func() []string { return strings.Split(strings.TrimSpace(lines.String()), "\n") }
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func equal(t *testing.T, expected, actual any) {
	t.Helper()
	if !reflect.DeepEqual(expected, actual) {
		t.Errorf("expected %#v\n     got %#v", expected, actual)
	}
}
