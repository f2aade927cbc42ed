package polynya

import (
	"context"
	"math"
	"math/big"
	"strings"
	"testing"
	"time"
)

func cycle() map[string]any {
	found := map[string]any{}
	found["self"] = []any{found, found, found}
	return found
}

func deep(levels int) map[string]any {
	if levels == 0 {
		return map[string]any{}
	}
	return map[string]any{"a": deep(levels - 1)}
}

func TestRemarksThatCannotBeSentAreLeftOutAndTheMoveIsSent(t *testing.T) {
	type node struct{ Next *node }
	ring := &node{}
	ring.Next = ring
	for name, info := range map[string]map[string]any{
		"bad UTF-8": {"text": "\xff"}, "bad UTF-8 in a key": {"\xff": 1}, "NaN": {"score": math.NaN()},
		"infinity": {"score": math.Inf(1)}, "function": {"f": deep}, "channel": {"c": make(chan int)},
		"big": {"n": new(big.Int).Lsh(big.NewInt(1), 70)}, "bytes": {"b": []byte("abc")},
		"date": {"at": time.Now()}, "complex": {"z": 1i}, "integer keys": {"m": map[int]string{1: "x"}},
		"10 MB": {"text": strings.Repeat("x", 10_000_000)}, "1 KiB": {"text": strings.Repeat("x", 1024)},
		"deep": deep(16), "very deep": deep(100_000), "cycle": cycle(), "ring": {"ring": ring},
	} {
		t.Run(name, func(t *testing.T) {
			lines := captureWarnings(t)
			server := serve(t, Choose(func(_ context.Context, turn *Turn) ([]Step, error) {
				turn.Info = info
				return []Step{step}, nil
			}), Options{})
			peer := server.accept()
			peer.welcome(nil)
			peer.beginMatch(nil)
			for turn := 1; turn <= 2; turn++ {
				peer.ask(words{"seq": turn, "turn": turn})
				equal(t, message{
					"type": "move", "match": "m1", "turn": int64(turn), "steps": []any{step},
				}, peer.receive())
			}
			peer.send(goodbye)
			equal(t, nil, server.result())
			equal(t, 1, strings.Count(strings.Join(lines(), "\n"), "without its info"))
		})
	}
}

func TestRemarksOfFifteenLevelsAreSent(t *testing.T) { equal(t, nil, sendable(deep(14))) }

func TestSharedRemarksAreSentOrLeftOut(t *testing.T) {
	var cases []struct {
		Name  string
		Info  map[string]any
		Sent  bool
		Needs *string
	}
	readVectors(t, "remarks.json", &cases)
	for _, c := range cases {
		if c.Needs != nil { // integers beyond 64 bits: of big.Int there is a case above
			continue
		}
		if err := sendable(exactly(c.Info).(map[string]any)); (err == nil) != c.Sent {
			t.Errorf("%s: %v", c.Name, err)
		}
	}
}
