package polynya

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"testing"
	"time"
)

// searchUntilDone gives its step when its turn's context ends.
var searchUntilDone = Choose(func(ctx context.Context, _ *Turn) ([]Step, error) {
	<-ctx.Done()
	return []Step{step}, nil
})

func TestSearchEndsWithItsMatchAndTheNextMatchIsPlayed(t *testing.T) {
	var lines bytes.Buffer
	options := Options{Logger: slog.New(slog.NewTextHandler(&lines, nil))}
	server := serve(t, searchUntilDone, options)
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(words{"remaining_ms": 600_000})
	peer.send(words{"type": "match_over", "match": "m1", "seq": 2, "reason": "finished"})
	peer.beginMatch(words{"match": "m2"})
	peer.send(goodbye)

	equal(t, nil, server.result())
	if !strings.Contains(lines.String(), "no move for turn 1 of match m1") {
		t.Errorf("the logger was told %q", lines.String())
	}
}

func TestTurnsContextComesFromTheCallers(t *testing.T) {
	type key struct{}
	seen := make(chan any, 1)
	server := serveIn(context.WithValue(context.Background(), key{}, "mine"), t,
		Choose(func(ctx context.Context, _ *Turn) ([]Step, error) {
			seen <- ctx.Value(key{})
			return []Step{step}, nil
		}), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(nil)
	peer.receive()
	peer.send(goodbye)

	equal(t, nil, server.result())
	equal(t, any("mine"), <-seen)
}

type ponderer struct {
	Hooks
	told chan string
}

func (p ponderer) Turn(context.Context, *Turn) ([]Step, error) {
	p.told <- "turn"
	return []Step{step}, nil
}

func (p ponderer) Ponder(ctx context.Context, _ *Match) {
	p.told <- "ponder"
	<-ctx.Done()
	p.told <- "enough"
}

func TestBotThinksOnTheOpponentsTimeUntilItIsAsked(t *testing.T) {
	bot := ponderer{told: make(chan string, 20)}
	server := serve(t, bot, Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	equal(t, "ponder", <-bot.told)
	peer.ask(nil)

	equal(t, "enough", <-bot.told)
	equal(t, "turn", <-bot.told)
	equal(t, any("move"), peer.receive()["type"])
	peer.send(goodbye)
	equal(t, nil, server.result())
}

type connected struct {
	Bot
	told chan string
}

func (c connected) Connected(name string) { c.told <- name }

func (c connected) Disconnected(err error) {
	if errors.Is(err, ErrConnectionLost) {
		c.told <- "lost"
	}
}

func TestHooksTellOfConnections(t *testing.T) {
	bot := connected{playStep, make(chan string, 4)}
	server := serve(t, bot, Options{})
	peer := server.accept()
	peer.welcome(nil)
	must(t, peer.socket.Close())
	peer = server.accept()
	peer.welcome(nil)
	peer.send(goodbye)

	equal(t, nil, server.result())
	equal(t, []string{"ada", "lost", "ada"}, []string{<-bot.told, <-bot.told, <-bot.told})
}

func TestMessagesAreKeptAsTheyCame(t *testing.T) {
	turns := make(chan *Turn, 1)
	server := serve(t, Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
		turns <- turn
		return []Step{step}, nil
	}), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(words{"weather": "cold"})
	peer.ask(words{"hint": 7})
	peer.receive()
	peer.send(goodbye)

	turn := <-turns
	equal(t, any(int64(7)), turn.Message["hint"])
	equal(t, any("cold"), turn.Match.Message["weather"])
	equal(t, time.Duration(0), turn.TimeLeft(time.Hour))
	equal(t, nil, server.result())
}

func TestPositionsOfTheGamesHaveTypes(t *testing.T) {
	turns := make(chan *Turn, 1)
	server := serve(t, Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
		turns <- turn
		return []Step{step}, nil
	}), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(words{"game": "arktia"})
	peer.ask(words{"state": words{
		"game": "arktia", "to_move": 1, "owes": nil, "stacks": []any{[]any{[]any{2, "T"}}},
	}})
	peer.receive()
	peer.send(goodbye)

	var position ArktiaState
	must(t, (<-turns).ReadState(&position))
	equal(t, 1, *position.ToMove)
	equal(t, (*string)(nil), position.Owes)
	equal(t, [][]ArktiaMuglu{{{Colour: 2, Kind: "T"}}}, position.Stacks)
	equal(t, nil, server.result())
}

func TestEnvironmentSaysGamesAndConcurrency(t *testing.T) {
	environment := map[string]string{
		"POLYNYA_PORT": "4242", "POLYNYA_GAMES": "packeis, , icecult,", "POLYNYA_CONCURRENCY": "3",
		"XDG_STATE_HOME": t.TempDir(),
	}
	read, err := readSettings(Options{Games: []string{"arktia"}}, func(name string) string { return environment[name] })
	must(t, err)
	equal(t, []string{"packeis", "icecult"}, read.Games)
	equal(t, 3, read.Concurrency)

	environment["POLYNYA_CONCURRENCY"] = "many"
	_, err = readSettings(Options{}, func(name string) string { return environment[name] })
	equal(t, true, errors.Is(err, ErrSettings))
}
