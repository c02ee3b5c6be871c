package org.stillwater.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class ClientAddressTest {

    @Test
    void limitsCountAnIpv4AddressByItself() {
        assertThat(ClientAddress.network("192.0.2.7")).isEqualTo("192.0.2.7");
        assertThat(ClientAddress.network("::ffff:192.0.2.7")).isEqualTo("192.0.2.7");
    }

    @Test
    void limitsCountAnIpv6NetworkAsOneClient() {
        assertThat(ClientAddress.network("2001:db8:1:2::5"))
                .isEqualTo("2001:db8:1:2::/64")
                .isEqualTo(ClientAddress.network("2001:db8:1:2:ffff:1:2:3"))
                .isNotEqualTo(ClientAddress.network("2001:db8:1:3::5"));
        assertThat(ClientAddress.network("0:0:0:0:0:0:0:1")).isEqualTo("0:0:0:0:0:0:0:1");
    }

    @Test
    void aTextThatIsNoAddressIsItsOwnKey() {
        assertThat(ClientAddress.network("unknown")).isEqualTo("unknown");
        assertThat(ClientAddress.network("a:b")).isEqualTo("a:b");
    }
}
