package org.stillwater.server.replay;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.FieldSource;

/** Reading of recordings. */
class RecordingTest {

    private static final String TWO =
            """
            # A client
            # of two lines

            ### logs in
            POST /token

            a=b&c=d
            > status 200 201
            > /access_token -> token

            @header Authorization: Bearer {{token}}

            ### reads
            # a remark
            GET /vms?search=a%3Db
            Accept: text/plain

            > status 200
            > until /vm/status = up
            > /vm/name = a b
            > /vm/id ~ [0-9]+
            > /vm/href
            > no /vm/lease
            > header Content-Type ~ text/.*
            > text ~ a.b
            > refused why
            > departs because
            """;

    @Test
    void requestsAreReadWithTheirChecks() {
        Recording recording = Recording.parse("x", TWO);
        assertThat(recording.about()).isEqualTo("A client\nof two lines");
        Exchange login = recording.exchanges().getFirst();
        assertThat(login.body()).isEqualTo("a=b&c=d");
        assertThat(login.headers()).isEmpty();
        assertThat(login.statuses()).isEqualTo("200, 201");
        assertThat(login.checks().get(1)).isEqualTo(new Check.Kept("/access_token", "token"));
        Exchange read = recording.exchanges().getLast();
        assertThat(read.method() + " " + read.path()).isEqualTo("GET /vms?search=a%3Db");
        assertThat(read.headers())
                .isEqualTo(Map.of("Authorization", "Bearer {{token}}", "Accept", "text/plain"));
        assertThat(read.body()).isEmpty();
        assertThat(read.departure()).isEqualTo("because");
        assertThat(read.checks())
                .hasSize(9)
                .contains(
                        new Check.Until("/vm/status", "up"),
                        new Check.Equal("/vm/name", "a b"),
                        new Check.Present("/vm/href"),
                        new Check.Absent("/vm/lease"),
                        new Check.Refused("why"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "### a;GET /a;> /b | says no status",
                "### a;GET /a;> status 200;### a;GET /a;> status 200 | a second request named a",
                "### a;GET /a;> status 200;> departs why | departs from oVirt without a refusal",
                "### a;POST /a;> status 200;> until /b = c | only a GET is repeated",
                "### a;GET /a;> status 200;> b = c | no place in an answer",
                "### a;GET a;> status 200 | x, line 2: no request",
                "GET /a | x, line 1: no request",
                "### a;GET /a;Accept;> status 200 | no header",
                "### a;GET /a;> status 200;more | no check",
            })
    void otherFilesThanRecordingsAreRefused(String lines, String why) {
        assertThatThrownBy(() -> Recording.parse("x", lines.replace(';', '\n')))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @ParameterizedTest
    @FieldSource("org.stillwater.server.replay.Recording#CLIENTS")
    void everyRecordingIsRead(String client) {
        Recording recording = Recording.of(client);
        assertThat(recording.about()).isNotBlank();
        assertThat(recording.exchanges()).hasSizeGreaterThan(50);
    }
}
