package polynya

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

var step = Step{"move", int64(12), int64(40)}

// playStep answers every turn with the same step.
var playStep = Choose(func(context.Context, *Turn) ([]Step, error) { return []Step{step}, nil })

func TestMoveAnswersTurnWithRemarks(t *testing.T) {
	server := serve(t, Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
		turn.Info["score"] = 2.5
		return []Step{step}, nil
	}), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(words{"turn": 7})

	equal(t, message{
		"type": "move", "match": "m1", "turn": int64(7), "steps": []any{step},
		"info": words{"score": 2.5},
	}, peer.receive())
	peer.send(goodbye)
	equal(t, nil, server.result())
}

func TestTurnSaysWhatTheServerSaid(t *testing.T) {
	turns := make(chan *Turn, 1)
	server := serve(t, Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
		turns <- turn
		return []Step{step}, nil
	}), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(words{"turn": 7, "state": words{"fish": []int{1}}, "legal": []any{step}})
	peer.receive()
	turn := <-turns

	var position struct {
		Fish []int `msgpack:"fish"`
	}
	must(t, turn.ReadState(&position))
	equal(t, []int{1}, position.Fish)
	equal(t, []Step{step}, turn.Legal)
	equal(t, "packeis 1 7 5s", fmt.Sprint(turn.Match.Game, " ", turn.Match.Seat, " ", turn.Number, " ", turn.Time))
	equal(t, 1510.5, *turn.Match.Players[0].Rating)
	equal(t, Player{Seat: 1, Name: "ada"}, turn.Match.Players[1])
}

func TestLegalAfterAsksTheServerAndPingsAreAnsweredMeanwhile(t *testing.T) {
	server := serve(t, Choose(func(ctx context.Context, turn *Turn) ([]Step, error) {
		legal, err := turn.LegalAfter(ctx, []Step{step})
		return append([]Step{step}, legal.Steps...), err
	}), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(nil)

	question := message{"type": "steps", "match": "m1", "turn": int64(1), "steps": []any{step}}
	equal(t, question, peer.receive())
	peer.send(words{"type": "ping", "nonce": uint64(1<<64 - 1)})
	equal(t, message{"type": "pong", "nonce": uint64(1<<64 - 1)}, peer.receive())
	peer.send(words{"type": "legal", "match": "m1", "turn": 1, "legal": []any{[]any{"end"}}, "turn_over": false})
	equal(t, any([]any{step, []any{"end"}}), peer.receive()["steps"])
}

// A follower writes down what happens, and asks before it moves.
type follower struct {
	Hooks
	seen []any
}

func (f *follower) MatchStart(match *Match) { f.seen = append(f.seen, "start "+match.ID) }
func (f *follower) Turn(ctx context.Context, turn *Turn) ([]Step, error) {
	f.seen = append(f.seen, fmt.Sprint("turn ", turn.Number))
	legal, err := turn.LegalAfter(ctx, []Step{step})
	return legal.Steps, err
}
func (f *follower) Moved(_ *Match, moved Moved) {
	moved.Message = nil
	f.seen = append(f.seen, moved)
}
func (f *follower) Forfeited(_ *Match, forfeited Forfeited) {
	forfeited.Message = nil
	f.seen = append(f.seen, forfeited)
}
func (f *follower) MatchOver(_ *Match, over MatchOver) {
	over.Message = nil
	f.seen = append(f.seen, over)
}

func TestTurnThatIsOverWhileTheBotAsksGetsNoMoveAndEventsKeepOrder(t *testing.T) {
	bot := &follower{}
	server := serve(t, bot, Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.send(words{
		"type": "moved", "match": "m1", "seq": 1, "turn": 1, "seat": 0, "steps": []any{step},
		"elapsed_ms": 3, "remaining_ms": []any{nil, 10},
	})
	peer.ask(words{"seq": 2, "turn": 2})
	peer.receive()
	peer.send(
		words{"type": "forfeited", "match": "m1", "seq": 3, "seat": 0, "reason": "resigned", "detail": "bob resigned"},
		words{"type": "match_over", "match": "m1", "seq": 4, "ranking": []int{2, 1}, "scores": []int{0, 1}, "reason": "forfeit", "replay": "m1"},
		goodbye,
	)
	equal(t, nil, server.result())

	equal(t, []any{
		"start m1",
		Moved{Turn: 1, Seat: 0, Steps: []Step{step}, ElapsedMS: 3, RemainingMS: []int{NoBudget, 10}},
		"turn 2",
		Forfeited{Seat: 0, Reason: "resigned", Detail: "bob resigned"},
		MatchOver{Reason: "forfeit", Ranking: []int{2, 1}, Scores: []int{0, 1}, Replay: "m1"},
	}, bot.seen)
	equal(t, true, peer.ended())
}

// waiting gives a bot that answers a turn when the test says so, by match and turn.
func waiting(turns ...string) (Bot, map[string]chan struct{}) {
	answers := map[string]chan struct{}{}
	for _, turn := range turns {
		answers[turn] = make(chan struct{})
	}
	return Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
		<-answers[fmt.Sprint(turn.Match.ID, "-", turn.Number)]
		return []Step{step}, nil
	}), answers
}

func TestMatchesDoNotWaitForEachOther(t *testing.T) {
	bot, answers := waiting("m1-1", "m2-1")
	server := serve(t, bot, Options{Concurrency: 2})
	peer := server.accept()
	equal(t, any(int64(2)), peer.welcome(nil)["concurrency"])
	for _, match := range []string{"m1", "m2"} {
		peer.beginMatch(words{"match": match})
		peer.ask(words{"match": match})
	}
	close(answers["m2-1"])
	equal(t, any("m2"), peer.receive()["match"])
	close(answers["m1-1"])
	equal(t, any("m1"), peer.receive()["match"])
}

func TestMoveForTurnThatAnotherOneHasReplacedIsNotSent(t *testing.T) {
	warnings := captureWarnings(t)
	bot, answers := waiting("m1-1", "m1-3")
	server := serve(t, bot, Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(words{"seq": 1, "turn": 1})
	peer.ask(words{"seq": 2, "turn": 3})
	peer.send(words{"type": "ping", "nonce": 0})
	peer.receive()
	close(answers["m1-1"])
	close(answers["m1-3"])

	equal(t, any(int64(3)), peer.receive()["turn"])
	peer.send(goodbye)
	equal(t, nil, server.result())
	equal(t, 2, len(warnings()))
}

func TestUnknownTypesKeysAndMatchesAreIgnored(t *testing.T) {
	server := serve(t, playStep, Options{})
	peer := server.accept()
	peer.welcome(words{"novelty": 1})
	peer.send(words{"type": "weather", "ice": "thin"}, changed(turnAsked, words{"match": "other"}))
	peer.beginMatch(words{"colour": "white"})
	peer.ask(words{"hurry": true})

	equal(t, "move", peer.receive().kind())
}

func TestResigningSendsNoMove(t *testing.T) {
	server := serve(t, Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
		turn.Match.Resign()
		return nil, nil
	}), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(nil)

	equal(t, message{"type": "resign", "match": "m1"}, peer.receive())
	peer.send(goodbye)
	equal(t, nil, server.result())
	equal(t, true, peer.ended())
}

func TestErrorThatIsNotFatalIsLoggedWithoutControlCharacters(t *testing.T) {
	warnings := captureWarnings(t)
	server := serve(t, playStep, Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.send(words{"type": "error", "code": "late", "message": "too \x1b[31mlate", "fatal": false}, goodbye)
	equal(t, nil, server.result())

	lines := warnings()
	equal(t, 2, len(lines))
	equal(t, true, strings.Contains(lines[0], `the server says late: too \\u001b[31mlate`))
}

func TestFatalErrorLeavesRunWithItsCode(t *testing.T) {
	server := serve(t, playStep, Options{Token: "secret"})
	peer := server.accept()
	peer.receive()
	peer.send(words{"type": "error", "code": "name_taken", "message": "choose another", "fatal": true})

	equal(t, error(&ServerError{"name_taken", "choose another"}), server.result())
}

func TestErrorOfTheBotSaysGoodbyeAndLeavesRun(t *testing.T) {
	bug := errors.New("a bug of the author's")
	server := serve(t, Choose(func(context.Context, *Turn) ([]Step, error) { return nil, bug }), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(nil)

	equal(t, message{"type": "goodbye", "reason": "the bot ended by an error"}, peer.receive())
	equal(t, true, peer.ended())
	equal(t, bug, server.result())
}

func TestGoodbyeNamesTheTypeOfAnError(t *testing.T) {
	_, missing := os.Open("/no/such/file")
	for reason, err := range map[string]error{
		" (syscall.Errno)": fmt.Errorf("the book: %w", missing),
		"":                 errors.New("a bug"),
	} {
		equal(t, reason, ofKind(err))
	}
	defer func() { equal(t, " (runtime.boundsError)", ofKind(recover())) }()
	steps := []Step{}
	_ = steps[len(os.Args)]
}

func TestForgottenStepsAreExplained(t *testing.T) {
	server := serve(t, Choose(func(context.Context, *Turn) ([]Step, error) { return nil, nil }), Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(nil)
	peer.ask(nil)

	equal(t, ErrNoSteps, server.result())
}

func TestMessageWithoutItsKeysEndsTheConnection(t *testing.T) {
	server := serve(t, playStep, Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.send(changed(matchStart, words{"seat": nil}))

	equal(t, true, errors.Is(server.result(), ErrMessage))
}

// An observer writes down what each event of a joint match tells, and which seats are asked then.
type observer struct {
	Hooks
	seen []string
}

func (o *observer) MatchStart(match *Match) {
	var view map[string]any
	err := match.ReadState(&view)
	o.seen = append(o.seen, fmt.Sprint("start ", match.IsView, match.IsJoint, match.Acting, view, err))
}
func (o *observer) Turn(context.Context, *Turn) ([]Step, error) { return []Step{step}, nil }
func (o *observer) Moved(match *Match, moved Moved) {
	o.seen = append(o.seen, fmt.Sprint("moved ", moved.Seat, moved.Concealed, moved.Steps, moved.Acting, moved.Seen, match.Acting))
}
func (o *observer) Forfeited(match *Match, forfeited Forfeited) {
	o.seen = append(o.seen, fmt.Sprint("forfeited ", forfeited.Turn, forfeited.Acting, forfeited.Seen, match.Acting))
}
func (o *observer) MatchOver(_ *Match, over MatchOver) { o.seen = append(o.seen, "over "+over.Deal) }

func TestJointTurnTellsWhatTheSeatMayKnow(t *testing.T) {
	bot := &observer{}
	server := serve(t, bot, Options{})
	peer := server.accept()
	peer.welcome(nil)
	peer.beginMatch(words{
		"state": words{"hand": 5}, "acting": []int{0, 1, 2}, "joint": true, "view": true,
	})
	peer.ask(nil)
	peer.receive()
	played := words{"type": "moved", "match": "m1", "turn": 1, "elapsed_ms": 3, "remaining_ms": []any{nil, nil, nil}}
	peer.send(
		changed(played, words{"seq": 2, "seat": 0, "steps": nil}),
		changed(played, words{
			"seq": 3, "seat": 1, "steps": []any{step}, "acting": []int{0, 1}, "seen": []any{words{"lost": 7}},
		}),
	)
	peer.ask(words{"seq": 4, "turn": 2})
	equal(t, any(int64(2)), peer.receive()["turn"])
	peer.send(
		words{
			"type": "forfeited", "match": "m1", "seq": 5, "turn": 2, "seat": 0, "reason": "resigned",
			"detail": "bob resigned", "acting": []int{}, "seen": []any{words{"won": true}},
		},
		words{"type": "match_over", "match": "m1", "seq": 6, "reason": "forfeit", "deal": "0a1b"},
		goodbye,
	)
	equal(t, nil, server.result())

	equal(t, []string{
		"start true true [0 1 2] map[hand:5] <nil>",
		"moved 0 true [] [] [] [0 1 2]",
		"moved 1 false [[move 12 40]] [0 1] [map[lost:7]] [0 1]",
		"forfeited 2 [] [map[won:true]] []",
		"over 0a1b",
	}, bot.seen)
}
