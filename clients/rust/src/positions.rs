//! The games' positions as types, for [`Turn::read_state`](crate::Turn::read_state).
//!
//! Made by `games/schema/make_schemas.py`.

use serde::Deserialize;
use serde_json::Value;

/// A row of Packeis am Pol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PackeisRow {
    /// Length.
    pub length: i64,
    /// Indent.
    pub indent: i64,
}

/// A position of Packeis am Pol.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PackeisState {
    /// `packeis`.
    pub game: String,
    /// 2 to 4; the number of seats.
    pub players: i64,
    /// `movement`, `over`, `placement`.
    pub phase: String,
    /// A seat or null; null exactly when the match is over.
    pub to_move: Option<i64>,
    /// 60 integers, 0 to 3; the fish on each floe; 0 where there is no floe any more.
    pub fish: Vec<i64>,
    /// A list of cells per seat; ascending.
    pub penguins: Vec<Vec<i64>>,
    /// An integer per seat.
    pub fish_caught: Vec<i64>,
    /// An integer per seat.
    pub floes_caught: Vec<i64>,
    /// True or false per seat; who makes no more turns; a forfeiter is out too.
    pub out: Vec<bool>,
    /// A list of seats; in the order of the forfeits.
    pub forfeited: Vec<i64>,
    /// As in the option; only with that option.
    pub rows: Option<Vec<Value>>,
}

/// A row of Arktia.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ArktiaRow {
    /// Length.
    pub length: i64,
    /// Indent.
    pub indent: i64,
}

/// A muglu of Arktia.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ArktiaMuglu {
    /// Colour.
    pub colour: i64,
    /// Kind: `D`, `G`, `T`.
    pub kind: String,
}

/// A position of Arktia.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct ArktiaState {
    /// `arktia`.
    pub game: String,
    /// 2 to 4; the number of seats.
    pub players: i64,
    /// `main`, `neutral`, `opening`, `over`.
    pub phase: String,
    /// An integer; of the main phase, from 1; 0 before it.
    pub round: i64,
    /// A seat or null; null exactly when the match is over.
    pub to_move: Option<i64>,
    /// [[length, indent], …]; the board at the beginning.
    pub rows: Vec<Value>,
    /// 1 or 0 per cell; 0: melted.
    pub ice: Vec<i64>,
    /// A list per cell; [[colour, kind], …], bottom to top; [] where nothing stands.
    pub stacks: Vec<Vec<ArktiaMuglu>>,
    /// [G, D, T] per seat; what they can still place.
    pub reserve: Vec<Vec<i64>>,
    /// [G, D, T] per seat; the neutral ones they can still place.
    pub neutral_reserve: Vec<Vec<i64>>,
    /// An integer per seat; muglus taken, tiles melted.
    pub taken: Vec<i64>,
    /// An integer per seat; muglus taken, tiles melted.
    pub melted: Vec<i64>,
    /// An integer per seat; what each would have if the match ended now.
    pub points: Vec<i64>,
    /// True or false per seat; who makes no more turns; a forfeiter is out too.
    pub out: Vec<bool>,
    /// A list of seats; in the order of the forfeits.
    pub forfeited: Vec<i64>,
    /// An integer.
    pub round_limit: i64,
    /// What the seat to move still has to do in this turn.
    pub owes: Option<String>,
}

/// A face of Ice Cult.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct IceCultFace {
    /// Symbol.
    pub symbol: i64,
    /// Direction: `D`, `E`, `N`, `S`, `U`, `W`, `None`.
    pub direction: Option<String>,
}

/// A tip of Ice Cult.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct IceCultTip {
    /// Pair: `E`, `N`, `S`, `W`.
    pub pair: String,
    /// Direction: `E`, `N`, `S`, `W`.
    pub direction: String,
}

/// The paths of a position of Ice Cult.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct IceCultPaths {
    /// `N`.
    #[serde(rename = "N")]
    pub n: Vec<Vec<i64>>,
    /// `E`.
    #[serde(rename = "E")]
    pub e: Vec<Vec<i64>>,
    /// `S`.
    #[serde(rename = "S")]
    pub s: Vec<Vec<i64>>,
    /// `W`.
    #[serde(rename = "W")]
    pub w: Vec<Vec<i64>>,
}

/// A position of Ice Cult.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct IceCultState {
    /// `icecult`.
    pub game: String,
    /// 2 to 4; the number of seats.
    pub players: i64,
    /// Action 1, action 2, the match is over.
    pub phase: String,
    /// An integer from 1; counts all players' turns; when the match is over, the last one begun.
    pub turn: i64,
    /// A seat or null; null exactly when the match is over.
    pub to_move: Option<i64>,
    /// Per position six faces; in the order top, bottom, north, east, south, west; each is
    /// [symbol, direction], direction null for circle and arc.
    pub blocks: Vec<Vec<IceCultFace>>,
    /// N, E, S, W: five stacks each; inside out, each a list of colours from bottom to top.
    pub paths: IceCultPaths,
    /// Four integers; pawns of each colour in the start area and in the goal.
    pub start: Vec<i64>,
    /// Four integers; pawns of each colour in the start area and in the goal.
    pub goal: Vec<i64>,
    /// A list of [pair, direction]; the tips of this turn so far; both of them in phase act.
    pub tips: Vec<IceCultTip>,
    /// Four integers; how often the arrow at each position has been used in this turn.
    pub uses: Vec<i64>,
    /// An integer; arcs not used yet in this turn.
    pub arcs_left: i64,
    /// A list of seats, ascending; empty unless the match ended by tower or goal.
    pub winners: Vec<i64>,
    /// A list of seats; in the order of the forfeits.
    pub forfeited: Vec<i64>,
    /// An integer.
    pub turn_limit: i64,
}
