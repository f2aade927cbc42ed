package polynya

import (
	"errors"
	"testing"
	"time"
)

func TestTimeToThink(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		what           string
		clock          Clock
		time, thinking time.Duration
	}{
		{"60 ms are kept of a short limit", Clock{Move: 100 * ms}, 100 * ms, 40 * ms},
		{"a fifth is kept of a long limit", Clock{Move: time.Second}, time.Second, 800 * ms},
		{"three tenths are for thinking at least", Clock{Move: 50 * ms}, 50 * ms, 15 * ms},
		{"a turn gets its part of a budget", Clock{Initial: time.Minute}, time.Minute, 2400 * ms},
		{"and the increment", Clock{Initial: time.Minute, Increment: 500 * ms}, time.Minute, 2800 * ms},
		{"but not more than is left", Clock{Initial: time.Minute, Increment: 500 * ms}, 300 * ms, 240 * ms},
	} {
		t.Run(c.what, func(t *testing.T) {
			moment := time.Now()
			turn := Turn{Match: &Match{Clock: c.clock}, Time: c.time, Deadline: moment.Add(c.time)}
			equal(t, c.thinking, turn.ThinkUntil(TurnsLeft, Margin).Sub(moment))
		})
	}
}

func TestStateThatWasNotAskedForIsExplained(t *testing.T) {
	frame, err := encode(message{"type": "turn", "turn": 1, "remaining_ms": 1}, defaultMaxFrame)
	must(t, err)
	turn := Turn{payload: frame[lengthBytes:]}
	var position map[string]any
	equal(t, true, errors.Is(turn.ReadState(&position), ErrNotWanted))
}
