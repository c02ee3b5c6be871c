package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.method.HandlerMethod;
import tools.jackson.databind.JsonNode;

class UnreadBodyGuardTest {

    private final UnreadBodyGuard guard = new UnreadBodyGuard();

    /** Endpoints without and with a body. */
    static final class Endpoints {

        void cancel(String id) {}

        void stop(@RequestBody(required = false) @Nullable JsonNode body) {}
    }

    private boolean send(String method, String body, String endpoint, Class<?> parameter)
            throws Exception {
        MockHttpServletRequest request =
                new MockHttpServletRequest(method, "/api/v1/operations/x/cancel");
        request.setContent(body.getBytes(StandardCharsets.UTF_8));
        return guard.preHandle(
                request,
                new MockHttpServletResponse(),
                new HandlerMethod(
                        new Endpoints(), Endpoints.class.getDeclaredMethod(endpoint, parameter)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"POST", "PUT", "DELETE"})
    void aBodyWithMembersIsRefusedWhereNoneIsRead(String method) {
        for (String body :
                new String[] {"{\"force\":true}", "[1]", "force", " ".repeat(200) + "1"}) {
            assertThatThrownBy(() -> send(method, body, "cancel", String.class))
                    .as(body)
                    .isInstanceOf(ApiException.class)
                    .hasMessage(method + " /api/v1/operations/x/cancel takes no body.");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "{}", " { }\n"})
    void aBodyWithoutMembersIsNone(String body) throws Exception {
        assertThat(send("POST", body, "cancel", String.class)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{\"seconds\":5}", "{}"})
    void anEndpointThatReadsItsBodyJudgesItItself(String body) throws Exception {
        assertThat(send("POST", body, "stop", JsonNode.class)).isTrue();
    }
}
