//! Packeis, as much of its rules as the bots here need: where penguins can be placed and slide to.

use std::collections::HashMap;
use std::rc::Rc;

use polynya_client::{BotResult, Value, json};
use serde::Deserialize;

const CELLS: usize = 60;
/// Row and column steps of the six directions, with columns counted in half floes.
const DIRECTIONS: [(isize, isize); 6] = [(0, 2), (0, -2), (-1, -1), (-1, 1), (1, -1), (1, 1)];

/// A place on the board: its row, and its column counted in half floes.
type Place = (isize, isize);

/// Length and indent, in half floes.
type Segment = (isize, isize);

/// A row is a segment, or several with gaps between them.
fn segments(row: &Value) -> BotResult<Vec<Segment>> {
    match Segment::deserialize(row) {
        Ok(only) => Ok(vec![only]),
        Err(_) => Ok(Vec::deserialize(row)?),
    }
}

/// Where each cell is, and which cell is at a place.
struct Board {
    places: Vec<Place>,
    cells: HashMap<Place, usize>,
}

impl Board {
    /// The board of a state: the usual one unless it has rows.
    fn read(state: &Value) -> BotResult<Self> {
        let usual = json!([[7, 1], [8, 0], [7, 1], [8, 0], [7, 1], [8, 0], [7, 1], [8, 0]]);
        let rows = state.get("rows").unwrap_or(&usual).as_array().ok_or("rows is no list")?;
        let mut places = Vec::new();
        for (row, given) in (0..).zip(rows) {
            for (length, indent) in segments(given)? {
                places.extend((0..length).map(|floe| (row, indent + 2 * floe)));
            }
        }
        let cells = places.iter().enumerate().map(|(cell, &place)| (place, cell)).collect();
        Ok(Self { places, cells })
    }

    /// The next cell in a direction.
    fn next(&self, cell: usize, (down, right): Place) -> Option<usize> {
        let (row, half) = self.places[cell];
        self.cells.get(&(row + down, half + right)).copied()
    }
}

/// What these bots see of a position.
#[derive(Clone)]
pub struct Position {
    board: Rc<Board>,
    fish: Vec<u32>,
    free: Vec<bool>,
    /// The cells of each seat's penguins.
    penguins: Vec<Vec<usize>>,
    placing: bool,
}

impl Position {
    /// The position of a `state`.
    pub fn read(state: &Value) -> BotResult<Self> {
        let fish = Vec::<u32>::deserialize(&state["fish"])?;
        let penguins = Vec::<Vec<usize>>::deserialize(&state["penguins"])?;
        let mut free: Vec<bool> = fish.iter().map(|&fish| fish > 0).collect();
        for &cell in penguins.iter().flatten() {
            free[cell] = false;
        }
        let placing = state["phase"] == "placement";
        Ok(Self { board: Rc::new(Board::read(state)?), fish, free, penguins, placing })
    }

    /// The cells that a penguin on `origin` can slide to.
    fn slides(&self, origin: usize) -> impl Iterator<Item = usize> {
        DIRECTIONS.into_iter().flat_map(move |direction| {
            let way =
                std::iter::successors(Some(origin), move |&cell| self.board.next(cell, direction));
            way.skip(1).take_while(|&cell| self.free[cell])
        })
    }

    /// Whether penguins are still placed.
    #[allow(dead_code, reason = "not all bots ask")]
    pub fn is_placement(&self) -> bool {
        self.placing
    }

    /// All turns of a seat with what they are worth.
    pub fn turns(&self, seat: usize) -> Vec<(u32, Value)> {
        if self.placing { self.placements() } else { self.moves(seat) }
    }

    /// The position after a move of this seat; other steps leave it as it is.
    #[allow(dead_code, reason = "not all bots look ahead")]
    #[must_use]
    pub fn after(&self, seat: usize, step: &Value) -> Self {
        let mut next = self.clone();
        if let Ok((_, from, to)) = <(String, usize, usize)>::deserialize(step) {
            next.fish[from] = 0;
            next.free[to] = false;
            for cell in &mut next.penguins[seat] {
                if *cell == from {
                    *cell = to;
                }
            }
        }
        next
    }

    /// Worth the best floe in reach.
    fn placements(&self) -> Vec<(u32, Value)> {
        let one_fish = |&cell: &usize| self.free[cell] && self.fish[cell] == 1;
        let best_near = |cell| self.slides(cell).map(|near| self.fish[near]).max().unwrap_or(0);
        (0..CELLS).filter(one_fish).map(|cell| (best_near(cell), json!(["place", cell]))).collect()
    }

    /// Worth the floe that is left, and a quarter of the next one.
    fn moves(&self, seat: usize) -> Vec<(u32, Value)> {
        let mut moves = Vec::new();
        for &from in &self.penguins[seat] {
            for to in self.slides(from) {
                moves.push((4 * self.fish[from] + self.fish[to], json!(["move", from, to])));
            }
        }
        moves
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(phase: &str, holes: &[usize]) -> Position {
        let mut fish = vec![1; CELLS];
        for &hole in holes {
            fish[hole] = 0;
        }
        let state = json!({"fish": fish, "penguins": [[24], [26]], "phase": phase});
        Position::read(&state).unwrap()
    }

    #[test]
    fn state_with_rows_has_another_board() {
        let rows = json!([[3, 1], [[2, 0], [2, 6]]]);
        let penguins = json!([[4], [1]]);
        let state =
            json!({"fish": vec![1; 7], "penguins": penguins, "phase": "movement", "rows": rows});
        let position = Position::read(&state).unwrap();
        assert_eq!(position.slides(4).collect::<Vec<_>>(), [3, 0]);
        assert_eq!(position.slides(2).collect::<Vec<_>>(), [5]);
    }

    #[test]
    fn penguin_slides_up_to_the_edge_a_hole_or_another_penguin() {
        let mut targets: Vec<_> = position("movement", &[17]).slides(24).collect();
        targets.sort_unstable();
        assert_eq!(targets, [0, 8, 16, 22, 23, 25, 31, 32, 38, 40, 45, 48, 52, 56]);
    }

    #[test]
    fn penguins_are_placed_on_free_floes_with_one_fish() {
        let placements = position("placement", &[0]).turns(0);
        assert_eq!(placements.len(), CELLS - 3);
    }
}
