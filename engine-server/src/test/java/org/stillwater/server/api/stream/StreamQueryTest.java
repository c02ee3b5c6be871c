package org.stillwater.server.api.stream;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.stillwater.server.api.web.ApiException;
import tools.jackson.databind.json.JsonMapper;

class StreamQueryTest {

    private static StreamQuery read(String message) {
        return StreamQuery.read(JsonMapper.shared(), message.replace('\'', '"'));
    }

    @Test
    void aListIsJoinedByCommas() {
        assertThat(read("{'type':'subscribe','vm':['a','b']}").vm()).isEqualTo("a,b");
        assertThat(read("{'type':'subscribe','vm':'a,b'}").vm()).isEqualTo("a,b");
    }

    @Test
    void aNameWithACommaIsNotTwoNames() {
        assertThatThrownBy(() -> read("{'type':'subscribe','vm':['web,1']}"))
                .isInstanceOf(ApiException.class)
                .hasMessage("vm: \"web,1\" has a comma; name it by its id");
    }
}
