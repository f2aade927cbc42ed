package polynya_test

import (
	"context"
	"time"

	polynya "github.com/polynya-contests/polynya/clients/go"
)

// A bot that plays every game: any legal step, until the turn is over.
func Example() {
	choose := func(ctx context.Context, turn *polynya.Turn) ([]polynya.Step, error) {
		steps := []polynya.Step{turn.Legal[0]}
		for {
			legal, err := turn.LegalAfter(ctx, steps)
			if err != nil || legal.TurnOver {
				return steps, err
			}
			steps = append(steps, legal.Steps[0])
		}
	}
	polynya.Main(polynya.Choose(choose), polynya.Options{Name: "first"})
}

// A search that goes deeper until its time is over, or until its result is not wanted any more.
func ExampleTurn_ThinkUntil() {
	search := func(ctx context.Context, turn *polynya.Turn) ([]polynya.Step, error) {
		until := turn.ThinkUntil(polynya.TurnsLeft, polynya.Margin)
		best := turn.Legal[0]
		for depth := 1; time.Now().Before(until) && ctx.Err() == nil; depth++ {
			best = deeper(turn, depth)
		}
		return []polynya.Step{best}, nil
	}
	polynya.Main(polynya.Choose(search), polynya.Options{Name: "deeper"})
}

// A thinker counts in every match how long it has thought, on its own time and on the opponents'.
type thinker struct{ polynya.Hooks }

func (thinker) Turn(ctx context.Context, turn *polynya.Turn) ([]polynya.Step, error) {
	depth, _ := turn.Match.Memory.(int)
	for turn.TimeLeft(polynya.Margin) > 0 && ctx.Err() == nil {
		depth++
	}
	turn.Match.Memory = depth
	return []polynya.Step{deeper(turn, depth)}, nil
}

func (thinker) Ponder(ctx context.Context, match *polynya.Match) {
	depth, _ := match.Memory.(int)
	for ctx.Err() == nil {
		depth++
	}
	match.Memory = depth
}

// A bot that thinks on the opponents' time has a method Ponder, which goes on until its context ends. It
// runs in the goroutine of its match, so that what both share needs no lock.
func ExamplePonderer() {
	polynya.Main(thinker{}, polynya.Options{Name: "thinker"})
}

// A position of Packeis am Pol as a struct, and a step by the function of its verb.
func ExampleTurn_ReadState() {
	choose := func(_ context.Context, turn *polynya.Turn) ([]polynya.Step, error) {
		var position polynya.PackeisState
		if err := turn.ReadState(&position); err != nil {
			return nil, err
		}
		from := position.Penguins[turn.Match.Seat][0]
		return []polynya.Step{polynya.PackeisMoveStep(from, from+1)}, nil
	}
	polynya.Main(polynya.Choose(choose), polynya.Options{Name: "slider", Games: []string{"packeis"}})
}

func deeper(turn *polynya.Turn, depth int) polynya.Step {
	return turn.Legal[depth%len(turn.Legal)]
}
