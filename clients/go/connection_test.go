package polynya

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"encoding/pem"
	"errors"
	"log/slog"
	"net"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

var resume = changed(matchStart, words{"type": "match_resume", "remaining_ms": []any{nil, nil}})

func TestHelloIntroducesTheBot(t *testing.T) {
	server := serve(t, playStep, Options{
		Games: []string{"packeis"}, Wants: []string{"state"}, Concurrency: 3, Token: "secret",
	})
	peer := server.accept()
	equal(t, message{
		"type":        "hello",
		"protocol":    int64(1),
		"name":        "ada",
		"token":       "secret",
		"games":       []any{"packeis"},
		"concurrency": int64(3),
		"wants":       []any{"state"},
		"software": words{
			"name":     "polynya-client",
			"language": "Go " + strings.TrimPrefix(runtime.Version(), "go"),
		},
		"max_frame": int64(1024 * 1024),
	}, peer.welcome(nil))
}

func TestEnvironmentWinsOverOptions(t *testing.T) {
	environment := map[string]string{
		"POLYNYA_HOST": "127.0.0.2", "POLYNYA_PORT": "4242", "POLYNYA_NAME": "hosted",
		"POLYNYA_TOKEN": "of the host", "POLYNYA_TLS": "0", "POLYNYA_LOG": "-",
	}
	options := Options{Host: "nowhere.invalid", Port: 1, Name: "ada", Token: "secret", TLS: true}
	in, err := readSettings(options, func(name string) string { return environment[name] })
	must(t, err)
	equal(t, []any{"127.0.0.2", 4242, "hosted", "of the host", false, "-"},
		[]any{in.Host, in.Port, in.Name, in.Token, in.TLS, in.Log})
}

func TestPortIsANumber(t *testing.T) {
	for _, port := range []string{"", "0", "65536", "1.5", "-1"} {
		_, err := readSettings(Options{}, func(name string) string {
			return map[string]string{"POLYNYA_PORT": port}[name]
		})
		equal(t, true, errors.Is(err, ErrSettings))
	}
}

func TestLostConnectionIsTakenUpAgainAndTheTurnAskedForAnew(t *testing.T) {
	captureWarnings(t)
	resumed := make(chan bool, 1)
	server := serve(t, Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
		resumed <- turn.Match.Resumed
		return []Step{step}, nil
	}), Options{Token: "secret"})
	lost := server.accept()
	lost.welcome(nil)
	lost.beginMatch(nil)
	lost.socket.Close()

	peer := server.accept()
	equal(t, any("secret"), peer.welcome(words{"matches": []any{"m1"}})["token"])
	peer.send(changed(resume, words{"seq": 4}))
	peer.ask(words{"seq": 5, "turn": 3})
	equal(t, any(int64(3)), peer.receive()["turn"])
	equal(t, true, <-resumed)
}

func TestMoveThoughtOutWhileTheConnectionWasLostIsNotSent(t *testing.T) {
	captureWarnings(t)
	asked := make(chan struct{})
	server := serve(t, Choose(func(ctx context.Context, turn *Turn) ([]Step, error) {
		if turn.Number > 1 {
			return []Step{{"second"}}, nil
		}
		close(asked)
		<-ctx.Done()
		return []Step{{"first"}}, nil
	}), Options{Token: "secret"})
	lost := server.accept()
	lost.welcome(nil)
	lost.beginMatch(nil)
	lost.ask(nil)
	<-asked
	lost.socket.Close()

	peer := server.accept()
	peer.welcome(words{"matches": []any{"m1"}})
	peer.send(changed(resume, words{"seq": 2}))
	peer.ask(words{"seq": 3, "turn": 3})
	equal(t, any([]any{[]any{"second"}}), peer.receive()["steps"])
}

func TestNameInForceAndTokenOfARegistrationBringTheBotBack(t *testing.T) {
	captureWarnings(t)
	server := serve(t, playStep, Options{})
	first := server.accept()
	hello := first.welcome(words{"token": "secret", "bot": "ada2"})
	first.socket.Close()
	again := server.accept().welcome(nil)

	equal(t, []any{"ada", nil}, []any{hello["name"], hello["token"]})
	equal(t, []any{"ada2", "secret"}, []any{again["name"], again["token"]})
}

func TestMissingEventMakesTheBotConnectAgain(t *testing.T) {
	captureWarnings(t)
	server := serve(t, playStep, Options{Token: "secret"})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(words{"seq": 2})
	equal(t, true, peer.ended())

	equal(t, "hello", server.accept().welcome(nil).kind())
}

func TestSilentServerIsGivenUpAfterThreeHeartbeats(t *testing.T) {
	server := serve(t, playStep, Options{ReconnectFor: -1})
	server.accept().welcome(words{"heartbeat_ms": 10})

	err := server.result()
	equal(t, "polynya: connection lost: the server was silent for three heartbeats; polynya: gave up", err.Error())
}

func TestBotWhoseWelcomeWasLostHasTheSameRegistration(t *testing.T) {
	captureWarnings(t)
	server := serve(t, playStep, Options{})
	lost := server.accept()
	first := lost.receive()
	lost.socket.Close()
	second := server.accept().welcome(nil)

	equal(t, first["registration"], second["registration"])
	equal(t, 32, len(first["registration"].(string)))
}

func TestReplacedBotDoesNotComeBack(t *testing.T) {
	server := serve(t, playStep, Options{Token: "secret"})
	peer := server.accept()
	peer.welcome(nil)
	peer.send(words{"type": "goodbye", "reason": "replaced"})

	equal(t, ErrReplaced, server.result())
}

func TestWhoeverAnswersWithoutFramesIsNoPolynyaServer(t *testing.T) {
	server := serve(t, playStep, Options{Token: "secret"})
	peer := server.accept()
	peer.receive()
	_, err := peer.socket.Write([]byte("HTTP/1.1 400 Bad Request"))
	must(t, err)

	err = server.result()
	equal(t, "too_large", codeOf(err))
	equal(t, true, strings.HasPrefix(err.Error(), "what answers there is no Polynya server"))
}

func TestBytesThatAreNoFrameEndTheBotWithAGoodbye(t *testing.T) {
	server := serve(t, playStep, Options{Token: "secret"})
	peer := server.accept()
	peer.welcome(nil)
	_, err := peer.socket.Write(bytes.Repeat([]byte{0xff}, 4))
	must(t, err)

	equal(t, "goodbye", peer.receive().kind())
	equal(t, "too_large", codeOf(server.result()))
}

func TestEndOfTheContextSaysGoodbye(t *testing.T) {
	server := serve(t, playStep, Options{Token: "secret"})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	server.stop()

	equal(t, message{"type": "goodbye", "reason": "the bot was interrupted"}, peer.receive())
	equal(t, context.Canceled, server.result())
}

func TestPausesDoubleUpToFiveSecondsAndAreShortenedByChance(t *testing.T) {
	attempts := newRetries(time.Hour)
	for _, longest := range []float64{0.1, 0.2, 0.4, 0.8, 1.6, 3.2, 5, 5} {
		pause, inTime := attempts.after(ErrConnectionLost)
		if seconds := pause.Seconds(); !inTime || seconds > longest || seconds < longest/2 {
			t.Errorf("%v is not between half of %v s and all of it", pause, longest)
		}
	}
}

func TestLostSessionBeginsThePausesAnewAndOneThatTheServerEndedDoesNot(t *testing.T) {
	for trouble, longest := range map[error]time.Duration{
		ErrConnectionLost:                      afterALoss,
		takeGoodbye("silent", slog.Default()):  longestPause,
		takeGoodbye("unknown", slog.Default()): longestPause,
	} {
		attempts := newRetries(time.Hour)
		for range 8 {
			attempts.after(ErrConnectionLost)
		}
		attempts.welcome()
		pause, inTime := attempts.after(trouble)
		if !inTime || pause > longest || pause < longest/2 {
			t.Errorf("%v: %v is not between half of %v and all of it", trouble, pause, longest)
		}
	}
}

func TestWhereTheServerWantsNobodyNowTheFirstPauseIsLonger(t *testing.T) {
	pause, _ := newRetries(time.Hour).after(&ServerError{"server_full", "no room"})
	equal(t, true, pause >= 1250*time.Millisecond)
}

func TestEveryMessageIsLoggedOnRequestWithoutTheToken(t *testing.T) {
	captureWarnings(t)
	file := filepath.Join(t.TempDir(), "frames.jsonl")
	server := serve(t, playStep, Options{Log: file})
	peer := server.accept()
	peer.welcome(words{"token": "secret"})
	peer.send(words{"type": "ping", "nonce": 1}, goodbye)
	equal(t, nil, server.result())

	text, err := os.ReadFile(file)
	must(t, err)
	var said []string
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var entry struct {
			Bot, Direction string
			Message        struct{ Type string }
		}
		must(t, json.Unmarshal([]byte(line), &entry))
		said = append(said, entry.Bot+" "+entry.Direction+" "+entry.Message.Type)
	}
	equal(t, []string{
		"ada sent hello", "ada received welcome", "ada received ping", "ada sent pong",
		"ada received goodbye",
	}, said)
	equal(t, false, strings.Contains(string(text), "secret"))
}

// tlsListener listens with a certificate for 127.0.0.1 that signs itself; the file of it.
func tlsListener(t *testing.T) (net.Listener, string) {
	borrowed := httptest.NewTLSServer(nil)
	defer borrowed.Close()
	certificate := borrowed.TLS.Certificates[0]
	file := filepath.Join(t.TempDir(), "certificate.pem")
	block := &pem.Block{Type: "CERTIFICATE", Bytes: certificate.Certificate[0]}
	must(t, os.WriteFile(file, pem.EncodeToMemory(block), 0o600))
	config := &tls.Config{Certificates: []tls.Certificate{certificate}}
	listener, err := tls.Listen("tcp", "127.0.0.1:0", config)
	must(t, err)
	return listener, file
}

func TestCertificateOfUnknownAuthorityIsRefused(t *testing.T) {
	listener, _ := tlsListener(t)
	server := serveOn(t, listener, playStep, Options{TLS: true, ReconnectFor: -1})
	go func() { _ = server.accept().ended() }()

	var refused *tls.CertificateVerificationError
	equal(t, true, errors.As(server.result(), &refused))
}

func TestCertificateIsGoodIfAFileNamesItsAuthority(t *testing.T) {
	listener, file := tlsListener(t)
	server := serveOn(t, listener, playStep, Options{TLS: true, CAFile: file})
	peer := server.accept()
	peer.welcome(nil)
	peer.send(goodbye)

	equal(t, nil, server.result())
}
