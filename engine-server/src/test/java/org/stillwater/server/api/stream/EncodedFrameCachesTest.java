package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.stillwater.core.id.VmId;
import org.stillwater.server.api.stream.StreamFilter.Audience;
import org.stillwater.server.api.stream.StreamFilter.Entity;
import org.stillwater.server.api.vm.VmJson.Form;

class EncodedFrameCachesTest {

    private final EncodedFrameCaches caches = new EncodedFrameCaches(new SimpleMeterRegistry());

    private static Audience of(int vm) {
        return new Audience(
                Set.of(Entity.VM), Form.LIGHT, Set.of(new VmId(1, vm)), null, null, null, null);
    }

    @Test
    void readersOfOneSubscriptionShareACache() {
        EncodedFrameCaches.Seat first = caches.enter(of(1), false);
        assertThat(first.cache()).as("alone").isNull();
        EncodedFrameCaches.Seat second = caches.enter(of(1), false);
        EncodedFrameCaches.Seat socket = caches.enter(of(1), true);
        EncodedFrameCaches.Seat other = caches.enter(of(2), false);
        assertThat(first.cache()).isNotNull().isSameAs(second.cache());
        assertThat(socket.cache()).isNull();
        assertThat(other.cache()).isNull();
        second.close();
        second.close();
        assertThat(first.cache()).as("alone again").isNull();
        assertThat(caches.enter(of(1), false).cache()).isNotNull().isSameAs(first.cache());
    }

    @Test
    void cachesAreFewAndALeftOneServesOthers() {
        List<EncodedFrameCaches.Seat> seats = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            seats.add(caches.enter(of(i), false));
            seats.add(caches.enter(of(i), false));
        }
        assertThat(seats.subList(0, 32)).allMatch(seat -> seat.cache() != null);
        assertThat(seats.subList(32, 34)).allMatch(seat -> seat.cache() == null);
        seats.getFirst().close();
        assertThat(caches.enter(of(16), false).cache()).isNotNull();
    }
}
