/**
 * The encodings of XAPI byte for byte: XML-RPC, JSON inside XML-RPC, JSON-RPC 1 and 2, and those of
 * servers before 2018. Objects, sessions and sockets must not live here.
 */
@NullMarked
package org.stillwater.fake.xapi.codec;

import org.jspecify.annotations.NullMarked;
