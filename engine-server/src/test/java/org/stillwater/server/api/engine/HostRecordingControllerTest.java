package org.stillwater.server.api.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.never;
import static org.mockito.Mockito.verify;
import static org.mockito.Mockito.when;

import org.junit.jupiter.api.Test;
import org.springframework.http.HttpHeaders;
import org.springframework.mock.web.MockHttpServletRequest;
import org.springframework.mock.web.MockHttpServletResponse;
import org.stillwater.monitoring.FleetReader;
import org.stillwater.server.recording.HostRecordings;

class HostRecordingControllerTest {

    private static final String PATH = "/api/v1/engine/host-recording/file";

    private final HostRecordings recordings = mock(HostRecordings.class);
    private final HostRecordingController controller =
            new HostRecordingController(recordings, mock(FleetReader.class));

    @Test
    void aRequestForTheHeadersAloneReadsNoRecording() throws Exception {
        when(recordings.isStopped()).thenReturn(true);
        MockHttpServletResponse head = new MockHttpServletResponse();
        controller.download(new MockHttpServletRequest("HEAD", PATH), head);
        verify(recordings, never()).writeTo(any());
        assertThat(head.getHeader(HttpHeaders.CONTENT_DISPOSITION)).contains("attachment");
        controller.download(new MockHttpServletRequest("GET", PATH), new MockHttpServletResponse());
        verify(recordings).writeTo(any());
    }
}
