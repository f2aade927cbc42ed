#!/usr/bin/perl
# Nim with several heaps for two to four players: a rules process for Polynya.
#
# A seat takes any number of stones from one heap. Who takes the last stone wins; the others are ranked by the stones that they took.
use strict;
use warnings;
use JSON::PP;

my $json = JSON::PP->new->utf8->canonical;

$| = 1;
while (my $line = <STDIN>) {
    my $question = $json->decode($line);
    my $answer = eval { answer($question) } || {error => "$@"};
    $answer->{id} = $question->{id};
    print $json->encode($answer), "\n";
}

sub answer {
    my ($question) = @_;
    my $ask = $question->{ask};
    my $players = $question->{players};
    my $document = $question->{document};
    return set_up($question) if $ask eq 'set_up';
    return take($document, $players, $question->{step}) if $ask eq 'apply';
    return forfeit($document, $players, $question->{seats}) if $ask eq 'forfeit';
    return {error => 'the document is no position of this game'} unless fits($document, $players);
    return position($document, $players);
}

# The heaps come from the seed, a text of up to 20 digits: each digit changes the state, which Perl holds without loss.
sub set_up {
    my ($question) = @_;
    my ($heaps, $largest) = @{$question->{options}}{qw(heaps largest)};
    return {error => 'heaps is 1 to 6'} unless whole($heaps, 6) && $heaps > 0;
    return {error => 'largest is 1 to 30'} unless whole($largest, 30) && $largest > 0;
    my $state = 1;
    $state = ($state * 31 + $_) % 1_000_003 for split //, $question->{seed};
    my @heaps;
    for (1 .. $heaps) {
        $state = ($state * 1_103 + 12_345) % 1_000_003;
        push @heaps, 1 + $state % $largest;
    }
    my $document = {heaps => \@heaps, seat => 0, taken => [(0) x $question->{players}], out => []};
    return position($document, $question->{players});
}

# Whether a document that somebody else wrote is one that this program could have written.
sub fits {
    my ($document, $players) = @_;
    return unless join(' ', sort keys %$document) eq 'heaps out seat taken';
    my ($heaps, $taken, $out) = @{$document}{qw(heaps taken out)};
    return if grep { ref ne 'ARRAY' } $heaps, $taken, $out;
    my %out;
    return if grep { !whole($_, $players - 1) || $out{$_}++ } @$out;
    return unless whole($document->{seat}, $players - 1);
    return if $out{$document->{seat}} && @$out < $players;
    return if grep { !whole($_, 30) } @$heaps;
    return if grep { !whole($_, 180) } @$taken;
    return @$heaps > 0 && @$heaps <= 6 && @$taken == $players;
}

# Whether a value is a number from 0 to the greatest. JSON::PP writes a number that was used as a text as a text: so none is compared as one.
sub whole {
    my ($value, $greatest) = @_;
    return defined $value && !ref $value && "$value" =~ /^[0-9]+\z/ && $value <= $greatest;
}

sub take {
    my ($document, $players, $step) = @_;
    my (undef, $heap, $number) = @$step;
    my @heaps = @{$document->{heaps}};
    my @taken = @{$document->{taken}};
    $heaps[$heap] -= $number;
    $taken[$document->{seat}] += $number;
    my $after = {%$document, heaps => \@heaps, taken => \@taken};
    $after->{seat} = next_seat($after, $players) if grep { $_ > 0 } @heaps;
    return position($after, $players);
}

sub forfeit {
    my ($document, $players, $seats) = @_;
    my $after = {%$document, out => [sort { $a <=> $b } @{$document->{out}}, @$seats]};
    my $staying = staying($after, $players);
    $after->{seat} = next_seat($after, $players) if @$staying && !grep { $_ == $after->{seat} } @$staying;
    return position($after, $players);
}

sub staying {
    my ($document, $players) = @_;
    my %out = map { $_ => 1 } @{$document->{out}};
    return [grep { !$out{$_} } 0 .. $players - 1];
}

sub next_seat {
    my ($document, $players) = @_;
    my %staying = map { $_ => 1 } @{staying($document, $players)};
    my $seat = $document->{seat};
    do { $seat = ($seat + 1) % $players } until $staying{$seat};
    return $seat;
}

sub position {
    my ($document, $players) = @_;
    my $staying = staying($document, $players);
    my $answer = {document => $document, scores => $document->{taken}, staying => $staying, acting => [], legal => {}};
    if (@$staying < 2) {
        $answer->{outcome} = outcome($document, $players, 'forfeit');
    } elsif (!grep { $_ > 0 } @{$document->{heaps}}) {
        $answer->{outcome} = outcome($document, $players, 'victory');
    } else {
        $answer->{acting} = [$document->{seat}];
        $answer->{legal} = {$document->{seat} => steps($document)};
    }
    return $answer;
}

sub steps {
    my ($document) = @_;
    my @steps;
    for my $heap (0 .. $#{$document->{heaps}}) {
        push @steps, map { ['take', $heap, $_] } 1 .. $document->{heaps}[$heap];
    }
    return \@steps;
}

# Rank 1 is who took the last stone, then who stays by the stones taken, then who left; equal seats share a rank.
sub outcome {
    my ($document, $players, $termination) = @_;
    my %out = map { $_ => 1 } @{$document->{out}};
    my @worth = map { $out{$_} ? -1 : $document->{taken}[$_] } 0 .. $players - 1;
    $worth[$document->{seat}] = 1_000 if $termination eq 'victory';
    my @ranking;
    for my $worth (@worth) {
        push @ranking, 1 + grep { $_ > $worth } @worth;
    }
    return {termination => $termination, ranking => \@ranking, scores => $document->{taken}};
}
