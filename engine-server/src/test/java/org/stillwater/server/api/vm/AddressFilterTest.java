package org.stillwater.server.api.vm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.server.api.web.ApiException;

class AddressFilterTest {

    private static final String GUEST = "10.0.3.7 fd00::1:7 192.168.1.200";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.0.3.7|true",
                "10.0.3.70|false",
                "10.0.3.0/24|true",
                "10.0.2.0/23|true",
                "10.0.4.0/23|false",
                "10.0.3.7/32|true",
                "0.0.0.0/0|true",
                "::/0|true",
                "fd00:0:0::0001:0007|true",
                "FD00::1:7|true",
                "fd00::/16|true",
                "fd01::/16|false",
                "192.168.*|true",
                "*.200|true",
                "10.0.3.?|true",
                "10.1.*|false",
                "10.9.9.9,192.168.1.200|true",
                " 10.9.9.9 , 10.8.8.8 |false",
            })
    void aGuestMatchesByOneOfItsAddresses(String filter, boolean matches) {
        assertThat(AddressFilter.of("ip", filter).matches(GUEST)).isEqualTo(matches);
    }

    @Test
    void aGuestWithoutAddressesMatchesNothing() {
        assertThat(AddressFilter.of("ip", "*").matches(null)).isFalse();
        assertThat(AddressFilter.of("ip", "0.0.0.0/0").matches("")).isFalse();
        assertThat(AddressFilter.of("ip", "0.0.0.0/0").matches("what an agent says")).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "web-1",
                "10.0.3",
                "10.0.3.0/33",
                "10.0.3.0/-1",
                "10.0.3.0/+8",
                "10.0.3.0/",
                "localhost/8",
                "::/129",
                "1.2.3.4,x"
            })
    void otherTextsThanAddressesAreRefusedWithoutLookUp(String filter) {
        assertThatThrownBy(() -> AddressFilter.of("ip", filter))
                .isInstanceOf(ApiException.class)
                .hasMessageContaining("ip has addresses such as 10.0.3.7");
    }
}
