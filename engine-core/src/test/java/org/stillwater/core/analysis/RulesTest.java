package org.stillwater.core.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.stillwater.core.vm.VmStatus;

class RulesTest {

    @ParameterizedTest
    @ValueSource(strings = {"10.0.0.5", "255.255.255.255", "0.0.0.0"})
    void ipv4LiteralsAreRecognised(String text) {
        assertThat(IpAddresses.isIpv4(text)).isTrue();
        assertThat(IpAddresses.isIpv6(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "::",
                "::1",
                "fe80::1",
                "2001:db8:0:0:0:0:0:1",
                "::ffff:10.0.0.1",
                "1:2:3:4:5:6:7::"
            })
    void ipv6LiteralsAreRecognised(String text) {
        assertThat(IpAddresses.isIpv6(text)).isTrue();
        assertThat(IpAddresses.isIpv4(text)).isFalse();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "bad",
                "1.2.3",
                "1.2.3.256",
                "1.2.3.4.5",
                "1:2",
                "::1::",
                "fe80::1%2",
                "12345::",
                ":1",
                "1.2.3.4::",
                "1::2:3:4:5:6:7:8"
            })
    void otherTextsAreNoAddresses(String text) {
        assertThat(IpAddresses.isIpv4(text)).isFalse();
        assertThat(IpAddresses.isIpv6(text)).isFalse();
    }

    @Test
    void aRateIsAShareOfTheNominalSpeed() {
        assertThat(NicRates.percent(187_500_000, 15, 1000)).isEqualTo(10.0);
        assertThat(NicRates.percent(Long.MAX_VALUE / 16, 15, 1000)).isEqualTo(100.0);
        assertThat(NicRates.percent(1, 0, 1000)).isNaN();
        assertThat(NicRates.percent(-1, 1, 1000)).isNaN();
        assertThat(NicRates.percent(1, 1, 0)).isNaN();
    }

    @Test
    void aCounterResetContinuesTheTotal() {
        assertThat(NicRates.firstOffset(500)).isEqualTo(-500);
        assertThat(NicRates.nextOffset(200, 0, 1000)).isEqualTo(1000);
        assertThat(NicRates.nextOffset(1200, 0, 1000)).isZero();
    }

    @ParameterizedTest
    @CsvSource({
        "UP,-1,NOT_RESPONDING",
        "POWERING_UP,-1,NOT_RESPONDING",
        "PAUSED,-1,PAUSED",
        "UP,0,UP"
    })
    void anUnresponsiveMonitorIsNotResponding(VmStatus reported, long response, VmStatus meant) {
        assertThat(ReportRules.effectiveStatus(reported, response >= 0)).isEqualTo(meant);
    }

    @Test
    void namesThatEveryGuestHasAreNoNames() {
        assertThat(ReportRules.fqdn(" localhost.localdomain ")).isNull();
        assertThat(ReportRules.fqdn("Localhost")).isNull();
        assertThat(ReportRules.fqdn(" a.example ")).isEqualTo("a.example");
        assertThat(ReportRules.isEveryAddress('0')).isTrue();
        assertThat(ReportRules.isEveryAddress('1')).isFalse();
    }
}
