package org.stillwater.server.security;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.http.Cookie;
import org.junit.jupiter.api.Test;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.security.oauth2.core.endpoint.OAuth2AuthorizationRequest;
import org.stillwater.testkit.VirtualClock;

class PendingLoginsTest {

    private final PendingLogins pending = new PendingLogins(new VirtualClock());

    private Cookie begin(String address) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setRemoteAddr(address);
        MockHttpServletResponse response = new MockHttpServletResponse();
        pending.saveAuthorizationRequest(
                OAuth2AuthorizationRequest.authorizationCode()
                        .authorizationUri("https://login.example/authorize")
                        .clientId("stillwater")
                        .state("state")
                        .build(),
                request,
                response);
        return response.getCookie("STILLWATER_LOGIN");
    }

    private boolean isPending(Cookie cookie) {
        MockHttpServletRequest request = new MockHttpServletRequest();
        request.setParameter("state", "state");
        request.setCookies(cookie);
        return pending.loadAuthorizationRequest(request) != null;
    }

    @Test
    void anAddressThatBeginsManyForgetsItsOwn() {
        Cookie other = begin("192.0.2.2");
        Cookie first = begin("192.0.2.1");
        Cookie last = first;
        for (int i = 0; i < 20_000; i++) {
            last = begin("192.0.2.1");
        }
        assertThat(isPending(other)).isTrue();
        assertThat(isPending(first)).isFalse();
        assertThat(isPending(last)).isTrue();
    }
}
