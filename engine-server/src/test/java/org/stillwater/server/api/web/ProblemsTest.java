package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.stream.StreamSupport;
import org.apache.catalina.connector.ClientAbortException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.http.converter.HttpMessageConverter;
import org.springframework.http.converter.HttpMessageConverters;
import org.springframework.mock.web.MockHttpServletResponse;
import org.stillwater.testkit.VirtualClock;
import tools.jackson.databind.JsonNode;

class ProblemsTest {

    private final Problems problems = new Problems(new VirtualClock());

    /** Answered with nothing, it would be an empty 200. */
    @Test
    void aFailureIsSentWhileTheReaderIsConnected() {
        ResponseEntity<?> answer =
                problems.bug(
                        new IllegalStateException(new UncheckedIOException(new IOException("x"))),
                        new MockHttpServletResponse());

        assertThat(answer).isNotNull();
        assertThat(answer.getStatusCode().value()).isEqualTo(500);
    }

    @Test
    void aDisconnectedReaderGetsNothing() {
        MockHttpServletResponse begun = new MockHttpServletResponse();
        begun.setCommitted(true);

        assertThat(problems.bug(new IOException("reset"), begun)).isNull();
        assertThat(
                        problems.bug(
                                new IllegalStateException(new ClientAbortException("gone")),
                                new MockHttpServletResponse()))
                .isNull();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "application/xml",
                "text/xml",
                "application/vnd.any+xml",
                "application/yaml",
                "application/cbor"
            })
    void noOtherFormOfObjectsIsReadOrWritten(String type) {
        HttpMessageConverters.ServerBuilder builder =
                HttpMessageConverters.forServer().registerDefaults();
        new JsonOnly().configureMessageConverters(builder);
        List<HttpMessageConverter<?>> converters =
                StreamSupport.stream(builder.build().spliterator(), false).toList();
        MediaType media = MediaType.parseMediaType(type);

        assertThat(converters).noneMatch(each -> each.canRead(JsonNode.class, media));
        assertThat(converters).noneMatch(each -> each.canWrite(ProblemsTest.class, media));
        assertThat(converters)
                .anyMatch(each -> each.canRead(JsonNode.class, MediaType.APPLICATION_JSON));
    }
}
