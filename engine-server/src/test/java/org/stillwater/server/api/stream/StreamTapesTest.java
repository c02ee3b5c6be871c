package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.stillwater.core.model.VmId;
import org.stillwater.server.api.stream.StreamFilter.Audience;
import org.stillwater.server.api.stream.StreamFilter.Entity;
import org.stillwater.server.api.vm.VmJson.Form;

class StreamTapesTest {

    private final StreamTapes tapes = new StreamTapes(new SimpleMeterRegistry());

    private static Audience of(int vm) {
        return new Audience(
                Set.of(Entity.VM), Form.LIGHT, Set.of(new VmId(1, vm)), null, null, null, null);
    }

    @Test
    void whoIsToldTheSameSharesATapeAndNobodyElseDoes() {
        StreamTapes.Seat first = tapes.enter(of(1), false);
        assertThat(first.tape()).as("alone").isNull();
        StreamTapes.Seat second = tapes.enter(of(1), false);
        StreamTapes.Seat socket = tapes.enter(of(1), true);
        StreamTapes.Seat other = tapes.enter(of(2), false);
        assertThat(first.tape()).isNotNull().isSameAs(second.tape());
        assertThat(socket.tape()).isNull();
        assertThat(other.tape()).isNull();
        second.close();
        second.close();
        assertThat(first.tape()).as("alone again").isNull();
        assertThat(tapes.enter(of(1), false).tape()).isNotNull().isSameAs(first.tape());
    }

    @Test
    void tapesAreFewAndOneThatIsLeftIsForOthers() {
        List<StreamTapes.Seat> seats = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            seats.add(tapes.enter(of(i), false));
            seats.add(tapes.enter(of(i), false));
        }
        assertThat(seats.subList(0, 32)).allMatch(seat -> seat.tape() != null);
        assertThat(seats.subList(32, 34)).allMatch(seat -> seat.tape() == null);
        seats.getFirst().close();
        assertThat(tapes.enter(of(16), false).tape()).isNotNull();
    }
}
