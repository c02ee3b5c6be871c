package org.stillwater.benchmarks.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.stillwater.benchmarks.chaos.Round.Strike;

class RoundTest {

    private static final Set<FaultKind> ALL = EnumSet.allOf(FaultKind.class);

    @Test
    void theSameSeedAndNumberGiveTheSameRound() {
        assertThat(Round.draw(7, 3, ALL, 4)).isEqualTo(Round.draw(7, 3, ALL, 4));
        assertThat(Round.draw(7, 3, ALL, 4)).isNotEqualTo(Round.draw(8, 3, ALL, 4));
        assertThat(Round.draw(7, 3, ALL, 4).loadSeed())
                .isNotEqualTo(Round.draw(7, 4, ALL, 4).loadSeed());
    }

    @Test
    void everyKindStrikesAndNoTwoThatCannotMeet() {
        List<Round> rounds = rounds(400);
        assertThat(
                        rounds.stream()
                                .flatMap(round -> round.strikes().stream())
                                .map(Strike::kind)
                                .collect(Collectors.toSet()))
                .isEqualTo(ALL);
        assertThat(rounds)
                .allSatisfy(round -> assertThat(round.strikes()).hasSizeBetween(1, 2))
                .anySatisfy(round -> assertThat(round.strikes()).hasSize(2))
                .filteredOn(round -> round.strikes().size() == 2)
                .allSatisfy(round ->
                        assertThat(
                                        round.strikes()
                                                .get(0)
                                                .kind()
                                                .canMeet(round.strikes().get(1).kind()))
                                .isTrue());
    }

    @Test
    void everyFaultIsHealedBeforeTheLoadEnds() {
        assertThat(rounds(400))
                .allSatisfy(round -> {
                    assertThat(round.load()).isLessThan(Duration.ofSeconds(5));
                    assertThat(round.strikes())
                            .allSatisfy(strike ->
                                    assertThat(strike.at().plus(strike.lasts()))
                                            .isLessThan(round.load()));
                });
    }

    @Test
    void onlyClocksJumpAndInBothDirections() {
        List<Strike> strikes =
                rounds(400).stream().flatMap(round -> round.strikes().stream()).toList();
        assertThat(strikes)
                .allSatisfy(strike ->
                        assertThat(strike.jump().isZero())
                                .isEqualTo(strike.kind() != FaultKind.CLOCK_JUMP))
                .anySatisfy(strike -> assertThat(strike.jump()).isNegative())
                .anySatisfy(strike -> assertThat(strike.jump()).isPositive());
    }

    @Test
    void someHostsFallSilentAndEachMay() {
        assertThat(rounds(400).stream().map(Round::silentHost).collect(Collectors.toSet()))
                .containsExactlyInAnyOrder(-1, 0, 1, 2, 3);
    }

    @Test
    void onlyTheKindsAskedForStrike() {
        assertThat(Round.draw(1, 1, Set.of(FaultKind.READ_ONLY), 2).strikes())
                .extracting(Strike::kind)
                .containsExactly(FaultKind.READ_ONLY);
    }

    @Test
    void faultsOfTablesNeedARunningServer() {
        assertThat(FaultKind.DATABASE_STOP.canMeet(FaultKind.DISK_FULL)).isFalse();
        assertThat(FaultKind.DISK_FULL.canMeet(FaultKind.DATABASE_STOP)).isFalse();
        assertThat(FaultKind.DATABASE_STOP.canMeet(FaultKind.DATABASE_KILL)).isFalse();
        assertThat(FaultKind.DATABASE_STOP.canMeet(FaultKind.ENGINE_KILL)).isTrue();
        assertThat(FaultKind.DISK_FULL.canMeet(FaultKind.DATABASE_SLOW)).isTrue();
    }

    private static List<Round> rounds(int count) {
        return IntStream.rangeClosed(1, count)
                .mapToObj(number -> Round.draw(42, number, ALL, 4))
                .toList();
    }
}
