package main

import (
	polynya "github.com/polynya-contests/polynya/clients/go"
	"github.com/vmihailenco/msgpack/v5"
)

// A position of Packeis am Pol, as the server describes it.
type position struct {
	Phase string `msgpack:"phase"`
	// Fish on each floe; 0 where there is none.
	Fish []int `msgpack:"fish"`
	// Penguins are the cells of each seat's.
	Penguins [][]int `msgpack:"penguins"`
	// Rows are those of another board than the usual one.
	Rows []row `msgpack:"rows"`
}

// An option is a step with what it is worth.
type option struct {
	value float64
	step  polynya.Step
}

// A place is a row and a horizontal place in it, in half floes.
type place struct{ row, right int }

var directions = [...]place{{0, 2}, {0, -2}, {-1, -1}, {-1, 1}, {1, -1}, {1, 1}}

// A row is a segment, or segments with gaps between them: length and indent, in half floes.
type row [][2]int

// DecodeMsgpack reads a row in either form.
func (r *row) DecodeMsgpack(decoder *msgpack.Decoder) error {
	var given []msgpack.RawMessage
	if err := decoder.Decode(&given); err != nil {
		return err
	}
	*r = nil
	for _, part := range given {
		var segment [2]int
		if err := msgpack.Unmarshal(part, &segment); err != nil {
			break // no list, so the row itself is the only segment
		}
		*r = append(*r, segment)
	}
	if len(*r) > 0 {
		return nil
	}
	var only [2]int
	for index, part := range given {
		if err := msgpack.Unmarshal(part, &only[min(index, 1)]); err != nil {
			return err
		}
	}
	*r = row{only}
	return nil
}

// A board knows where each cell is, and which cell is at a place.
type board struct {
	places []place
	cells  map[place]int
}

// board gives the board of a position: the usual one unless its state has rows.
func (p position) board() board {
	rows := p.Rows
	if len(rows) == 0 {
		for range 4 {
			rows = append(rows, row{{7, 1}}, row{{8, 0}})
		}
	}
	board := board{cells: map[place]int{}}
	for number, row := range rows {
		for _, segment := range row {
			for tile := range segment[0] {
				at := place{number, segment[1] + 2*tile}
				board.cells[at] = len(board.places)
				board.places = append(board.places, at)
			}
		}
	}
	return board
}

// free tells for each cell whether there is a floe and no penguin.
func (p position) free() []bool {
	free := make([]bool, len(p.Fish))
	for cell, fish := range p.Fish {
		free[cell] = fish > 0
	}
	for _, own := range p.Penguins {
		for _, cell := range own {
			free[cell] = false
		}
	}
	return free
}

// slides gives the cells that a penguin on a cell can slide to.
func (b board) slides(from int, free []bool) []int {
	var targets []int
	for _, direction := range directions {
		at := b.places[from]
		for {
			at = place{at.row + direction.row, at.right + direction.right}
			cell, onBoard := b.cells[at]
			if !onBoard || !free[cell] {
				break
			}
			targets = append(targets, cell)
		}
	}
	return targets
}

// options gives every step of a seat with what it is worth: leave the floe with the most fish, for
// one with many fish.
func (p position) options(seat int) []option {
	if p.Phase == "placement" {
		return p.placements()
	}
	var options []option
	free, board := p.free(), p.board()
	for _, from := range p.Penguins[seat] {
		for _, to := range board.slides(from, free) {
			value := float64(p.Fish[from]) + float64(p.Fish[to])/4
			options = append(options, option{value, polynya.Step{"move", from, to}})
		}
	}
	return options
}

func (p position) placements() []option {
	var options []option
	free, board := p.free(), p.board()
	for cell, fish := range p.Fish {
		if fish != 1 || !free[cell] {
			continue
		}
		near := 0
		for _, to := range board.slides(cell, free) {
			near = max(near, p.Fish[to])
		}
		options = append(options, option{float64(near), polynya.Step{"place", cell}})
	}
	return options
}
