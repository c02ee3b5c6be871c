package org.stillwater.server.http;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;

class RequestPathTest {

    private static MockHttpServletRequest request(String uri) {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", uri);
        request.setRequestURI(uri);
        return request;
    }

    @ParameterizedTest
    @CsvSource({
        "/, /",
        "/login, /login",
        "/%6cogin, /login",
        "/%6Cogin, /login",
        "/api/v1/vms/, /api/v1/vms/",
        "/a%20b, /a b",
        "/%C3%A4, /ä",
        "/ovirt-engine//api///vms, /ovirt-engine/api/vms",
        "/ovirt-engine/api/vms;max=2;current, /ovirt-engine/api/vms",
        "/ovirt-engine/api/vms;a=b/%76, /ovirt-engine/api/vms/v",
    })
    void isDecodedOnceAndNormalised(String raw, String path) {
        assertThat(RequestPath.problem(request(raw))).isNull();
        assertThat(RequestPath.of(request(raw))).isEqualTo(path);
        assertThat(RequestPath.of(raw)).isEqualTo(path);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "/a/../b",
                "/a/./b",
                "/..",
                "/a/..",
                "/a/%2e%2e/b",
                "/a/%2E./b",
                "/a/..;/b",
                "/a;x=1/b",
                "/a//b",
                "//a",
                "/a%2fb",
                "/a%5cb",
                "/a\\b",
                "/a%00b",
                "/a%0ab",
                "/a%3bb",
                "/a%252fb",
                "/a%",
                "/a%4",
                "/a%zz",
                "/a%ff",
                "/a%c0%ae",
                "/a%e2%80%a8",
                "",
                "a",
                "/ovirt-engine/../api",
                "/ovirt-engine/api/..;/sso",
                "/ovirt-engine/api/.;x/vms",
                "/ovirt-engine/api/..;x=1/vms",
                "/ovirt-engine/api/%2e%2e/vms",
                "/ovirt-engine/sso/..%3b/api/vms",
                "/ovirt-engine/api/;x=1/vms",
                "/ovirt-engine/api/a%2fb",
                "/ovirt-engine/api/vms;x=%2f",
                "/ovirt-engine/api/a%25",
                "/%6fvirt-engine//api",
                "/ovirt-engine;x=1/api",
                "/ovirt-engine/api;a=b/vms",
                "/ovirt-engine/%61pi/vms",
                "/%6fvirt-engine/api"
            })
    void ambiguousPathsAreRefused(String raw) {
        assertThat(RequestPath.problem(request(raw))).isNotNull();
    }

    @Test
    void theContextPathIsNoPartOfIt() {
        MockHttpServletRequest request = request("/prefix/%6cogin");
        request.setContextPath("/prefix");
        assertThat(RequestPath.of(request)).isEqualTo("/login");
    }

    @Test
    void aRequestThatIsForwardedIsReadAgain() {
        MockHttpServletRequest request = request("/login");
        assertThat(RequestPath.of(request)).isEqualTo("/login");
        request.setRequestURI("/error");
        assertThat(RequestPath.of(request)).isEqualTo("/error");
    }

    @Test
    void belowAPathIsMoreThanTheSameLetters() {
        assertThat(RequestPath.isIn("/ovirt-engine/api", "/ovirt-engine/api")).isTrue();
        assertThat(RequestPath.isIn("/ovirt-engine/api/vms", "/ovirt-engine/api")).isTrue();
        assertThat(RequestPath.isIn("/ovirt-engine/apis", "/ovirt-engine/api")).isFalse();
    }
}
