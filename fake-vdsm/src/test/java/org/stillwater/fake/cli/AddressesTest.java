package org.stillwater.fake.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;

class AddressesTest {

    private static InetSocketAddress at(String address, int port) {
        return new InetSocketAddress(InetAddress.ofLiteral(address), port);
    }

    @Test
    void portsFollowEachOther() {
        Addresses addresses = Addresses.byPort("localhost", 54321, 20);
        assertThat(addresses.of(0)).isEqualTo(at("127.0.0.1", 54321));
        assertThat(addresses.of(19)).isEqualTo(at("127.0.0.1", 54340));
        assertThat(addresses.also()).containsExactly(InetAddress.ofLiteral("::1"));
        assertThat(Addresses.byPort("any", 0, 20).of(7)).isEqualTo(at("::", 0));
    }

    @Test
    void addressesFollowEachOther() {
        Addresses addresses = Addresses.byAddress(InetAddress.ofLiteral("127.1.0.1"), 54321, 1000);
        assertThat(addresses.of(0)).isEqualTo(at("127.1.0.1", 54321));
        assertThat(addresses.of(254)).isEqualTo(at("127.1.0.255", 54321));
        assertThat(addresses.of(255)).isEqualTo(at("127.1.1.0", 54321));
        assertThat(addresses.of(999)).isEqualTo(at("127.1.3.232", 54321));
    }

    @Test
    void addressesThatDoNotFitAreRefused() {
        assertThatThrownBy(() -> Addresses.byPort("localhost", 65_500, 100))
                .hasMessageContaining("100 hosts from port 65500 on do not fit");
        assertThatThrownBy(() -> Addresses.byPort("example.test", 1, 1))
                .hasMessageContaining("--listen is localhost, any or an IP address");
        assertThatThrownBy(() ->
                        Addresses.byAddress(InetAddress.ofLiteral("127.255.255.250"), 54321, 100))
                .hasMessageContaining("leave the loopback network");
    }
}
