package main

import (
	"reflect"
	"slices"
	"testing"

	polynya "github.com/polynya-contests/polynya/clients/go"
	"github.com/vmihailenco/msgpack/v5"
)

// positionOf has only these floes, as cell and fish, and these penguins.
func positionOf(phase string, floes map[int]int, penguins ...[]int) position {
	fish := make([]int, 60)
	for cell, count := range floes {
		fish[cell] = count
	}
	return position{Phase: phase, Fish: fish, Penguins: penguins}
}

func equal(t *testing.T, expected, actual any) {
	t.Helper()
	if !reflect.DeepEqual(expected, actual) {
		t.Errorf("expected %v, got %v", expected, actual)
	}
}

func TestPenguinSlidesAlongTheSixDirectionsOfTheDocumentedNumbering(t *testing.T) {
	near := positionOf("movement", map[int]int{16: 1, 17: 1, 23: 1, 25: 1, 31: 1, 32: 1})
	targets := near.board().slides(24, near.free())
	slices.Sort(targets)
	equal(t, []int{16, 17, 23, 25, 31, 32}, targets)
}

func TestPenguinDoesNotSlideRoundTheEdge(t *testing.T) {
	row := positionOf("movement", map[int]int{13: 1, 14: 1, 15: 1})
	equal(t, []int{13}, row.board().slides(14, row.free()))
}

func TestGapAndAnotherPenguinStopAPenguin(t *testing.T) {
	row := positionOf("movement", map[int]int{7: 1, 8: 1, 9: 1, 11: 1, 12: 1, 13: 1}, []int{7}, []int{13})
	equal(t, []int{8, 9}, row.board().slides(7, row.free()))
	equal(t, []int{12, 11}, row.board().slides(13, row.free()))
}

func TestPenguinsArePlacedOnFloesWithOneFishBestNearMany(t *testing.T) {
	start := positionOf("placement", map[int]int{0: 1, 1: 3, 2: 1, 30: 1}, nil, nil)
	equal(t, []option{
		{3, polynya.Step{"place", 0}}, {3, polynya.Step{"place", 2}}, {0, polynya.Step{"place", 30}},
	}, start.options(0))
}

func TestMoveIsWorthTheFloeItLeavesThenTheOneItReaches(t *testing.T) {
	row := positionOf("movement", map[int]int{0: 2, 1: 3, 2: 1}, []int{0}, []int{2})
	equal(t, []option{{2.75, polynya.Step{"move", 0, 1}}}, row.options(0))
}

func TestBoardOfAStateWithRowsIsReadInEitherForm(t *testing.T) {
	data, err := msgpack.Marshal(map[string]any{
		"fish": []int{1, 1, 1, 1, 1, 1, 1},
		"rows": []any{[]int{3, 1}, []any{[]int{2, 0}, []int{2, 6}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	var shifted position
	if err := msgpack.Unmarshal(data, &shifted); err != nil {
		t.Fatal(err)
	}
	equal(t, []row{{{3, 1}}, {{2, 0}, {2, 6}}}, shifted.Rows)
	equal(t, []int{3, 0}, shifted.board().slides(4, []bool{true, false, true, true, true, true, true}))
	equal(t, []int{1, 0, 5}, shifted.board().slides(2, []bool{true, true, true, true, false, true, true}))
}
