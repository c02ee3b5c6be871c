package org.stillwater.server.api.web;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.method.HandlerMethod;
import org.stillwater.server.api.rows.ListQuery;
import org.stillwater.server.api.vm.VmFilter;

class QueryParameterGuardTest {

    private final QueryParameterGuard guard = new QueryParameterGuard();

    /** An endpoint with parameters of every kind. */
    static final class Endpoint {

        void list(ListQuery query, VmFilter filter, @RequestParam @Nullable String own) {}
    }

    private void send(String query) throws NoSuchMethodException {
        MockHttpServletRequest request = new MockHttpServletRequest("GET", "/api/v1/vms");
        request.setQueryString(query);
        guard.preHandle(
                request,
                new MockHttpServletResponse(),
                new HandlerMethod(
                        new Endpoint(),
                        Endpoint.class.getDeclaredMethod(
                                "list", ListQuery.class, VmFilter.class, String.class)));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=5&limit=6",
                "limit=5&limit=5",
                "cursor=a&cursor=b",
                "total=true&total=true",
                "since=1&since=2",
                "name=a&name=b",
                "fqdn=a&host=h&fqdn=b",
                "cpuAbove=1&cpuAbove=2",
                "highlyAvailable=true&highlyAvailable=false",
                "own=a&own=b"
            })
    void aParameterOfOneValueComesOnce(String query) {
        String name = query.substring(0, query.indexOf('='));
        assertThatThrownBy(() -> send(query))
                .isInstanceOf(ApiException.class)
                .hasMessage("The parameter %s comes twice.", name);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "status=up&status=down",
                "id=a&id=b",
                "host=a&host=b",
                "fields=id&fields=name",
                "sort=name&sort=cpu",
                "tag=a&tag=b&withoutTag=c&withoutTag=d"
            })
    void aListMayComeInSeveralParameters(String query) {
        assertThatCode(() -> send(query)).doesNotThrowAnyException();
    }

    @Test
    void aParameterWithoutAValueIsRefused() {
        assertThatThrownBy(() -> send("name=")).hasMessageContaining("name has no value");
        assertThatThrownBy(() -> send("naem=a")).hasMessageContaining("no parameter \"naem\"");
    }
}
