package org.stillwater.relay.intake;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class RefusedRelaysTest {

    private final RefusedRelays refused = new RefusedRelays();

    @Test
    void aRefusalStaysUntilACertificateOfItsNameIsAccepted() {
        refused.checked("CN=rack-7", "not signed by CN=new");
        refused.checked("CN=rack-8", "it has expired");
        refused.checked("CN=rack-8", null);
        assertThat(refused.now()).containsOnlyKeys("rack-7");
        refused.checked("CN=rack-7,O=renewed", null);
        assertThat(refused.now()).isEmpty();
    }

    @Test
    void strangersWithManyNamesAreBounded() {
        for (int i = 0; i < 1_000; i++) {
            refused.checked("CN=stranger-" + i, "unknown");
        }
        assertThat(refused.now()).hasSize(64);
    }
}
