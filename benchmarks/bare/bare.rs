//! Answers every so many bytes with so many others, and does nothing else.

use std::io::{Read, Write};
use std::net::TcpStream;

fn main() -> std::io::Result<()> {
    let numbers: Vec<usize> =
        std::env::args().skip(1).map(|word| word.parse().expect("a number")).collect();
    let mut stream = TcpStream::connect(("127.0.0.1", numbers[0] as u16))?;
    stream.set_nodelay(true)?;
    let mut turn = vec![0; numbers[1]];
    let mut answer = vec![0; numbers[2]];
    answer[..4].copy_from_slice(&(numbers[2] as u32 - 4).to_be_bytes());
    while stream.read_exact(&mut turn).is_ok() {
        stream.write_all(&answer)?;
    }
    Ok(())
}
