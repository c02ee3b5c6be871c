package org.stillwater.server.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.net.InetAddress;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class AddressRangeTest {

    @ParameterizedTest
    @CsvSource({
        "192.0.2.0/24, 192.0.2.255, true",
        "192.0.2.0/24, 192.0.3.0, false",
        "192.0.2.128/25, 192.0.2.127, false",
        "192.0.2.1, 192.0.2.1, true",
        "192.0.2.1, 192.0.2.2, false",
        "0.0.0.0/0, 203.0.113.5, true",
        "0.0.0.0/0, 2001:db8::1, false",
        "2001:db8::/33, 2001:db8:7fff::1, true",
        "2001:db8::/33, 2001:db8:8000::1, false",
        "192.0.2.0/24, ::ffff:192.0.2.9, true",
    })
    void holdsAddressesWithItsPrefix(String range, String address, boolean in) {
        assertThat(AddressRange.of(range).contains(InetAddress.ofLiteral(address))).isEqualTo(in);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/8",
                "10.0.0.0/33",
                "10.0.0.1/8",
                "2001:db8::/129",
                "10.0.0.0/",
                "proxy",
                "10.0.0.0/-1",
                "10.0.0.0/8/8",
                "*"
            })
    void otherTextsThanRangesAreRefused(String text) {
        assertThatThrownBy(() -> AddressRange.of(text))
                .isInstanceOf(IllegalArgumentException.class);
        assertThat(AddressRange.isOne(text)).isFalse();
    }
}
