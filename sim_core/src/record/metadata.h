/* The text of rosbag2's metadata.yaml, version 5 (Humble's; later ones read it too). */
#ifndef FILUM_RECORD_METADATA_H
#define FILUM_RECORD_METADATA_H

#include "record/bag.h"

/* Appends the description of a bag of one file. `nested` puts it under the key that metadata.yaml has at its top;
 * inside an MCAP file it stands without. */
void fil_metadata_put(FilBytes* text, bool nested, const char* identifier, const char* file_name, const FilBagChannels* channels,
                      const FilBagTally* tally);

#endif
