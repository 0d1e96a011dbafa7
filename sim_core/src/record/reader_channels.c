/* Gives out the channels of a reader one by one. */
#include "record/reader.h"

size_t fil_reader_channel_count(const FilReader* reader)
{
    return fil_reader_channels(reader)->count;
}

FilReaderChannel fil_reader_channel(const FilReader* reader, size_t index)
{
    const FilBagChannels* channels = fil_reader_channels(reader);
    if (index >= channels->count) {
        return (FilReaderChannel){.id = 0};
    }
    const FilBagEntry* entry = &channels->items[index];
    return (FilReaderChannel){.channel = entry->channel, .id = entry->id, .message_count = entry->message_count};
}
