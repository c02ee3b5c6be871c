package org.stillwater.ovirt.action;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class RoutesTest {

    private static final Outcome DONE = Outcome.showing(200, "things/1");

    private final Routes routes =
            new Routes()
                    .add("POST", "things", _ -> DONE)
                    .add("PUT", "things/{id}", _ -> DONE)
                    .operation("POST", "things/{id}/parts", _ -> DONE)
                    .action("things/{id}/parts/{id}/turn", true, _ -> DONE);

    @Test
    void aPathTakesTheMethodsOfItsPatternAndNoActions() {
        assertThat(routes.methods(List.of("things"))).containsExactly("POST");
        assertThat(routes.methods(List.of("things", "1"))).containsExactly("PUT");
        assertThat(routes.methods(List.of("things", "1", "parts"))).containsExactly("POST");
        assertThat(routes.methods(List.of("things", "1", "parts", "2", "turn"))).isEmpty();
        assertThat(routes.methods(List.of("others"))).isEmpty();
    }

    @Test
    void anActionIsNoChangeOfAnEntity() {
        List<String> action = List.of("things", "1", "parts", "2", "turn");
        assertThat(routes.isOfEntity("POST", action)).isFalse();
        assertThat(routes.isAudited("POST", action)).isTrue();
        assertThat(routes.isOfEntity("POST", List.of("things", "1", "parts"))).isTrue();
        assertThat(routes.isAudited("POST", List.of("things", "1", "parts"))).isTrue();
        assertThat(routes.isAudited("POST", List.of("things"))).isFalse();
        assertThat(routes.isOfEntity("DELETE", List.of("things", "1"))).isFalse();
    }
}
